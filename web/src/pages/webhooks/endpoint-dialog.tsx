import { MultiSelect, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { EndpointRecord, FreshEndpointRecord } from "../../../../src/contract/purchases.ts";
import { apiPatch, apiPost } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useOrganizationKey } from "../../session/session.ts";
import { EVENTS } from "./events.ts";

interface EndpointDialogProps {
  /** Null for a new one. */
  readonly endpoint: EndpointRecord | null;
  readonly onClose: () => void;
  /** A new one has a secret that is shown once. */
  readonly onMade: (made: FreshEndpointRecord) => void;
}

export function EndpointDialog({ endpoint, onClose, onMade }: EndpointDialogProps) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const form = useForm({
    initialValues: {
      url: endpoint?.url ?? "",
      description: endpoint?.description ?? "",
      events: [...(endpoint?.events ?? [])],
    },
    validate: { url: (text) => (/^https?:\/\/.+/.test(text.trim()) ? null : "An address that begins with https://") },
  });
  const save = useFormMutation({
    form,
    async send({ url, description, events }) {
      const body = { url: url.trim(), events, description: description.trim() || null };
      if (endpoint !== null) await apiPatch(`/api/webhook-endpoints/${endpoint.id}`, body);
      else onMade(await apiPost<FreshEndpointRecord>("/api/webhook-endpoints", body));
    },
    onDone() {
      if (endpoint !== null) notifyDone("The webhook is changed.");
      void client.invalidateQueries({ queryKey: [...key, "webhooks"] });
      onClose();
    },
  });
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={endpoint === null ? "New webhook" : "Change the webhook"}
      action={endpoint === null ? "Add it" : "Save"}
      onSubmit={save.onSubmit}
      error={save.error}
      isPending={save.isPending}
    >
      <TextInput
        label="Address"
        description="Events are posted there as JSON, signed."
        placeholder="https://example.com/turnpike"
        maxLength={2000}
        data-autofocus
        {...form.getInputProps("url")}
      />
      <TextInput label="What it is for" maxLength={200} {...form.getInputProps("description")} />
      <MultiSelect
        label="Events"
        placeholder={form.getValues().events.length === 0 ? "All of them" : ""}
        data={Object.entries(EVENTS).map(([value, label]) => ({ value, label }))}
        searchable
        clearable
        {...form.getInputProps("events")}
      />
    </FormDialog>
  );
}
