import { Button, Group, Stack, Switch } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { apiPut } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { notifyDone, notifyOdd } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { type AdminModel, MODELS_KEY } from "./admin-model.ts";
import { ModelForm } from "./model-form.tsx";
import { bodyOf, type ModelValues, validateModel, valuesOf } from "./model-values.ts";

/** Changes a model that is kept in the database; what was not touched is not sent. */
export function EditModel({ model, onDone }: { model: AdminModel; onDone: () => void }) {
  const client = useQueryClient();
  const before = useMemo(() => valuesOf(model), [model]);
  const path = `/api/admin/models/${encodeURIComponent(model.id)}`;
  const refresh = () => client.invalidateQueries({ queryKey: MODELS_KEY });
  const form = useForm<ModelValues>({ initialValues: before, validate: validateModel });
  const save = useFormMutation({
    form,
    send: (values) => apiPut<AdminModel>(path, bodyOf(values, before)),
    onDone({ warnings }) {
      notifyDone("The model is changed.");
      notifyOdd(warnings);
      void refresh();
      onDone();
    },
  });
  const use = useMutation({
    mutationFn: (status: AdminModel["status"]) => apiPut<AdminModel>(path, { status }),
    onSuccess({ warnings }) {
      notifyOdd(warnings);
      return refresh();
    },
  });
  return (
    <form onSubmit={save.onSubmit} noValidate>
      <Stack gap="lg" maw={860}>
        <ModelForm form={form} isNew={false} />
        <Switch
          label="In use"
          description="Out of use it is kept, and can not be called by anybody."
          checked={model.status === "enabled"}
          disabled={use.isPending}
          onChange={(event) => use.mutate(event.currentTarget.checked ? "enabled" : "disabled")}
        />
        <FormError error={save.error} />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
