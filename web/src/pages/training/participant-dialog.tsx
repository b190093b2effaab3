import { NumberInput, PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import type { ParticipantRecord } from "../../../../src/contract/training.ts";
import { apiPatch, apiPost } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";

interface ParticipantDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Null: a new one. */
  readonly participant: ParticipantRecord | null;
  readonly queryKey: QueryKey;
}

export function ParticipantDialog({ opened, onClose, participant, queryKey }: ParticipantDialogProps) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      name: participant?.name ?? "",
      url: participant?.url ?? "",
      token: "",
      maxExamples: (participant?.maxExamples ?? "") as number | string,
    },
  });
  const save = useFormMutation({
    form,
    send({ name, url, token, maxExamples }) {
      const body = {
        url: url.trim(),
        ...(token === "" ? {} : { token }),
        maxExamples: maxExamples === "" ? null : Number(maxExamples),
      };
      return participant === null
        ? apiPost<ParticipantRecord>("/api/training/participants", { name: name.trim(), ...body })
        : apiPatch<ParticipantRecord>(`/api/training/participants/${participant.id}`, body);
    },
    onDone({ name }) {
      form.reset();
      onClose();
      notifyDone(participant === null ? `${name} is registered. Ask it how it is.` : `${name} is changed.`);
      void client.invalidateQueries({ queryKey });
    },
  });
  return (
    <FormDialog
      opened={opened}
      onClose={onClose}
      title={participant === null ? "Register a participant" : `Change ${participant.name}`}
      action={participant === null ? "Register" : "Save"}
      onSubmit={save.onSubmit}
      error={save.error}
      isPending={save.isPending}
    >
      {participant === null && (
        <TextInput
          label="Name"
          description="What plans and records call it: letters, digits, dots and dashes."
          required
          maxLength={64}
          data-autofocus
          {...form.getInputProps("name")}
        />
      )}
      <TextInput
        label="Address"
        description="Where it is reached, such as https://north.example.com:5000"
        required
        maxLength={2000}
        {...form.getInputProps("url")}
      />
      <PasswordInput
        label="Token"
        description={
          participant?.hasToken
            ? "One is kept. Leave it empty to keep that; a new address needs it again."
            : "The bearer token that it asks for; empty where it asks for none. It is kept sealed and never shown."
        }
        autoComplete="new-password"
        {...form.getInputProps("token")}
      />
      <NumberInput
        label="Counts at most"
        description="However many examples it says that it has."
        placeholder="no limit"
        min={1}
        allowDecimal={false}
        {...form.getInputProps("maxExamples")}
      />
    </FormDialog>
  );
}
