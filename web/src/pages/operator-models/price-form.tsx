import { Button, Group, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { apiPut } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { type AdminModel, MODELS_KEY } from "./admin-model.ts";
import { bodyOf, type ModelValues, validateModel, valuesOf } from "./model-values.ts";

interface PriceFormProps {
  readonly model: AdminModel | null;
  readonly onClose: () => void;
}

export const PriceForm = ({ model, onClose }: PriceFormProps) => (
  <FormModal opened={model !== null} onClose={onClose} title={`Price of ${model?.name ?? ""}`}>
    {model && <Fields model={model} onClose={onClose} />}
  </FormModal>
);

function Fields({ model, onClose }: { model: AdminModel; onClose: () => void }) {
  const client = useQueryClient();
  const before = valuesOf(model);
  const form = useForm<ModelValues>({ initialValues: before, validate: validateModel });
  const save = useFormMutation({
    form,
    send: (values) => apiPut(`/api/admin/models/${encodeURIComponent(model.id)}`, bodyOf(values, before)),
    onDone() {
      notifyDone("The price is changed; it holds for the next call.");
      void client.invalidateQueries({ queryKey: MODELS_KEY });
      onClose();
    },
  });
  return (
    <form onSubmit={save.onSubmit}>
      <Stack>
        <Text size="sm" c="dimmed">
          USD for a million tokens. An empty field takes the public price list's.
        </Text>
        <TextInput
          label="Input"
          leftSection="$"
          inputMode="decimal"
          data-autofocus
          {...form.getInputProps("inputPrice")}
        />
        <TextInput label="Output" leftSection="$" inputMode="decimal" {...form.getInputProps("outputPrice")} />
        <TextInput
          label="Cached input"
          leftSection="$"
          inputMode="decimal"
          {...form.getInputProps("cachedInputPrice")}
        />
        <NumberInput label="Mark-up" min={0} decimalScale={2} suffix="%" {...form.getInputProps("markupPercent")} />
        <FormError error={save.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
