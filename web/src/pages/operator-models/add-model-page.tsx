import { Alert, Button, Group, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconPlugConnected } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { apiPost } from "../../api/client.ts";
import { ButtonLink } from "../../components/button-link.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { FormError } from "../../components/form-error.tsx";
import { notifyDone, notifyOdd } from "../../components/notify.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { DEPLOYMENTS_KEY } from "../../components/use-deployments.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { type AdminModel, MODELS_KEY } from "./admin-model.ts";
import { ConnectionResult } from "./connection-result.tsx";
import { ModelForm } from "./model-form.tsx";
import { bodyOf, emptyValues, type ModelValues, paramsOf, validateModel } from "./model-values.ts";

interface Tested {
  readonly status: "success" | "error";
  readonly result: { readonly duration_ms: number; readonly error: string | null };
}

/** The catalogue's names for kinds of models that the platform calls otherwise. */
const MODES: Readonly<Record<string, string>> = { image: "image_generation" };

export default function AddModelPage() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const form = useForm<ModelValues>({ initialValues: emptyValues(), validate: validateModel });
  const test = useMutation({
    meta: { showsError: true },
    mutationFn: (values: ModelValues) => {
      const type = String(values.type);
      const mode = type === "" ? {} : { mode: MODES[type] ?? type };
      return apiPost<Tested>("/health/test_connection", { litellm_params: paramsOf(values), ...mode });
    },
  });
  const add = useFormMutation({
    form,
    send: (values) => apiPost<AdminModel>("/api/admin/models", bodyOf(values)),
    onDone(model) {
      notifyDone(`${model.name} is there.`);
      notifyOdd(model.warnings);
      void client.invalidateQueries({ queryKey: MODELS_KEY });
      void client.invalidateQueries({ queryKey: DEPLOYMENTS_KEY });
      void navigate({ to: `/operator/models/${encodeURIComponent(model.id)}` as never });
    },
  });
  const tryIt = (): void => {
    if (!form.validate().hasErrors) test.mutate(form.getValues());
  };
  return (
    <>
      <PageHeader
        back={{ to: "/operator/models", words: "Deployments" }}
        title="Add a model"
        about="It is kept in the database and can be called as soon as it is added."
      />
      <form onSubmit={add.onSubmit} noValidate>
        <Stack gap="lg" maw={860}>
          <ModelForm form={form} isNew />
          {test.error && <ErrorState error={test.error} title="It could not be tried" />}
          {test.data && !test.isPending && (
            <ConnectionResult
              result={{
                ok: test.data.status === "success",
                latencyMs: test.data.result.duration_ms,
                error: test.data.result.error,
              }}
            />
          )}
          <FormError error={add.error} />
          {form.getValues().name === "" ? null : <GroupNotice name={String(form.getValues().name)} />}
          <Group>
            <Button type="submit" loading={add.isPending}>
              Add the model
            </Button>
            <Button
              variant="default"
              leftSection={<IconPlugConnected size={16} />}
              loading={test.isPending}
              onClick={tryIt}
            >
              Test the connection
            </Button>
            <ButtonLink to="/operator/models" variant="subtle">
              Cancel
            </ButtonLink>
          </Group>
        </Stack>
      </form>
    </>
  );
}

/** A pattern is served differently; somebody who types a star should know. */
const GroupNotice = ({ name }: { name: string }) =>
  name.includes("*") ? (
    <Alert color="gray" title="This is a pattern">
      Every model that fits {name} and has no group of its own is served by it. Use the same star in the model at the
      provider.
    </Alert>
  ) : null;
