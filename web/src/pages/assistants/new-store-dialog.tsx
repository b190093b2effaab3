import { NumberInput, Select, Textarea, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { KeyApi } from "../../api/key-api.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useModelsOfKey } from "../../components/use-own-key.ts";
import { keyOf } from "./keys.ts";
import type { VectorStore } from "./records.ts";

interface NewStoreDialogProps {
  readonly api: KeyApi;
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onMade: (store: VectorStore) => void;
}

const EMPTY = { name: "", description: "", embedding_model: null as string | null, days: "" as number | string };

/** A new vector store; files are put in afterwards. */
export function NewStoreDialog({ api, opened, onClose, onMade }: NewStoreDialogProps) {
  const client = useQueryClient();
  const { models } = useModelsOfKey(api.keyId, "embedding");
  const form = useForm({
    initialValues: EMPTY,
    validate: { name: (name) => (name.trim() === "" ? "Give it a name." : null) },
  });
  const { onSubmit, error, isPending } = useFormMutation({
    form,
    send: ({ name, description, embedding_model, days }) =>
      api.post<VectorStore>("/v1/vector_stores", {
        name: name.trim(),
        ...(description.trim() === "" ? {} : { description: description.trim() }),
        ...(embedding_model === null ? {} : { embedding_model }),
        ...(days === "" ? {} : { expires_after: { anchor: "last_active_at", days: Number(days) } }),
      }),
    onDone(store) {
      void client.invalidateQueries({ queryKey: keyOf(api, "vector-stores") });
      form.reset();
      onMade(store);
    },
  });
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title="New vector store"
      action="Create"
      onSubmit={onSubmit}
      error={error}
      isPending={isPending}
    >
      <TextInput label="Name" maxLength={256} data-autofocus required {...form.getInputProps("name")} />
      <Textarea
        label="Description"
        maxLength={512}
        autosize
        minRows={1}
        maxRows={4}
        {...form.getInputProps("description")}
      />
      <Select
        label="Embedding model"
        description="It makes the vectors, and is charged to your key. It cannot be changed later."
        placeholder="The one of this installation"
        data={models.map(({ id }) => id)}
        clearable
        searchable
        clearButtonProps={{ "aria-label": "The one of this installation" }}
        {...form.getInputProps("embedding_model")}
      />
      <NumberInput
        label="Goes after so many days without use"
        placeholder="It stays"
        min={1}
        max={365}
        allowDecimal={false}
        {...form.getInputProps("days")}
      />
    </FormDialog>
  );
}
