import { Button, Group, NumberInput, Select, Skeleton, Stack, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { KeyApi } from "../../api/key-api.ts";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useModelsOfKey } from "../../components/use-own-key.ts";
import { type AssistantValues, bodyOf, VALIDATE, valuesOf } from "./assistant-values.ts";
import { keyOf } from "./keys.ts";
import type { Assistant } from "./records.ts";
import { ToolFields } from "./tool-fields.tsx";

interface AssistantDialogProps {
  readonly api: KeyApi;
  /** `new` for one that is to be made; null while the dialog is closed. */
  readonly target: Assistant | "new" | null;
  readonly onClose: () => void;
}

/** Makes an assistant, or changes one. */
export function AssistantDialog({ api, target, onClose }: AssistantDialogProps) {
  const { models, isPending } = useModelsOfKey(api.keyId, "chat");
  const ids = models.map(({ id }) => id);
  return (
    <FormModal
      opened={target !== null}
      onClose={onClose}
      size="xl"
      title={target === "new" || target === null ? "New assistant" : "Change the assistant"}
    >
      {target !== null && isPending && <Skeleton height={520} />}
      {target !== null && !isPending && (
        <AssistantForm api={api} assistant={target === "new" ? null : target} models={ids} onClose={onClose} />
      )}
    </FormModal>
  );
}

interface AssistantFormProps {
  readonly api: KeyApi;
  readonly assistant: Assistant | null;
  readonly models: readonly string[];
  readonly onClose: () => void;
}

function AssistantForm({ api, assistant, models, onClose }: AssistantFormProps) {
  const client = useQueryClient();
  const form = useForm<AssistantValues>({
    initialValues: valuesOf(assistant, models[0] ?? ""),
    validate: VALIDATE,
  });
  const { onSubmit, error, isPending } = useFormMutation({
    form,
    send: (values) =>
      api.post<Assistant>(
        assistant === null ? "/v1/assistants" : `/v1/assistants/${assistant.id}`,
        bodyOf(values, assistant),
      ),
    onDone() {
      void client.invalidateQueries({ queryKey: keyOf(api, "assistants") });
      notifyDone(assistant === null ? "The assistant is made." : "The assistant is changed.");
      onClose();
    },
  });
  const ids = [...new Set([...models, ...(assistant ? [assistant.model] : [])])];
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <Group grow align="flex-start">
          <TextInput label="Name" maxLength={256} required data-autofocus {...form.getInputProps("name")} />
          <Select label="Model" data={ids} searchable required allowDeselect={false} {...form.getInputProps("model")} />
        </Group>
        <TextInput
          label="Description"
          description="For people: what it is good for."
          maxLength={512}
          {...form.getInputProps("description")}
        />
        <Textarea
          label="Instructions"
          description="For the model: how it is to behave, in every thread."
          autosize
          minRows={3}
          maxRows={12}
          maxLength={256_000}
          {...form.getInputProps("instructions")}
        />
        <NumberInput
          label="Temperature"
          placeholder="The model's own"
          min={0}
          max={2}
          step={0.1}
          w={{ base: "100%", xs: 200 }}
          {...form.getInputProps("temperature")}
        />
        <ToolFields api={api} form={form} />
        <FormError error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            {assistant === null ? "Create" : "Save"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
