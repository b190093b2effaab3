import { FileInput, Select } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { KeyApi } from "../../api/key-api.ts";
import { upload } from "../../api/upload.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { keyOf } from "./keys.ts";
import type { Batch, StoredFile } from "./records.ts";

interface NewBatchDialogProps {
  readonly api: KeyApi;
  readonly opened: boolean;
  readonly onClose: () => void;
}

const ENDPOINTS = [
  { value: "/v1/chat/completions", label: "Chat completions" },
  { value: "/v1/responses", label: "Responses" },
  { value: "/v1/embeddings", label: "Embeddings" },
  { value: "/v1/completions", label: "Completions" },
  { value: "/v1/moderations", label: "Moderations" },
];

/** A file of calls is uploaded and left to be carried out. */
export function NewBatchDialog({ api, opened, onClose }: NewBatchDialogProps) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { file: null as File | null, endpoint: "/v1/chat/completions" },
    validate: { file: (file) => (file === null ? "Choose a file." : null) },
  });
  const { onSubmit, error, isPending } = useFormMutation({
    form,
    async send({ file, endpoint }) {
      const calls = new FormData();
      calls.append("purpose", "batch");
      calls.append("file", file as File, (file as File).name);
      const { id } = await upload<StoredFile>("/v1/files", calls, { headers: api.headers });
      return api.post<Batch>("/v1/batches", { input_file_id: id, endpoint, completion_window: "24h" });
    },
    onDone() {
      for (const list of ["batches", "files"]) void client.invalidateQueries({ queryKey: keyOf(api, list) });
      form.reset();
      onClose();
    },
  });
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title="New batch"
      action="Carry out"
      onSubmit={onSubmit}
      error={error}
      isPending={isPending}
    >
      <FileInput
        label="File of calls"
        description='One JSON object in each line: {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": {...}}'
        placeholder="calls.jsonl"
        accept=".jsonl,.ndjson,application/jsonl,application/x-ndjson"
        required
        {...form.getInputProps("file")}
      />
      <Select label="What the lines call" data={ENDPOINTS} allowDeselect={false} {...form.getInputProps("endpoint")} />
    </FormDialog>
  );
}
