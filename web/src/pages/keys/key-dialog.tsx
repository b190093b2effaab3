import { Button, Group, Skeleton, Stack } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { ApiKeyRecord, FreshKeyRecord } from "../../../../src/contract/keys.ts";
import { apiPatch, apiPost } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useOrganizationKey, useTeams } from "../../session/session.ts";
import { useTeamChoice } from "../../session/team-choice.tsx";
import { KeyFields } from "./key-fields.tsx";
import { bodyOf, checkKey, type KeyValues, NEW_KEY, valuesOf } from "./key-values.ts";

interface KeyDialogProps {
  /** The key that is changed; "new" makes one; null: the dialog is closed. */
  readonly subject: ApiKeyRecord | "new" | null;
  /** The team whose keys are looked at: a new one begins there. */
  readonly teamId: string | undefined;
  readonly onClose: () => void;
  readonly onMade: (key: FreshKeyRecord) => void;
}

export const KeyDialog = ({ subject, teamId, onClose, onMade }: KeyDialogProps) => (
  <FormModal
    opened={subject !== null}
    onClose={onClose}
    title={subject === "new" || subject === null ? "New key" : <span className="wraps">Change {subject.name}</span>}
    size="lg"
  >
    {subject === "new" && <NewKey teamId={teamId} onClose={onClose} onMade={onMade} />}
    {subject !== null && subject !== "new" && <KeyForm key={subject.id} subject={subject} onClose={onClose} />}
  </FormModal>
);

type NewKeyProps = Pick<KeyDialogProps, "teamId" | "onClose" | "onMade">;

/** Once the teams are known: the form begins with one of them. */
const NewKey = (props: NewKeyProps) => (useTeams().isPending ? <Skeleton height={320} /> : <NewKeyForm {...props} />);

function NewKeyForm({ teamId, onClose, onMade }: NewKeyProps) {
  const { team, teams } = useTeamChoice();
  const client = useQueryClient();
  const key = useOrganizationKey();
  const form = useForm<KeyValues>({
    initialValues: { ...NEW_KEY, teamId: teamId ?? team?.id ?? teams[0]?.id ?? "" },
    validate: checkKey,
  });
  const create = useFormMutation({
    form,
    send: (values) => apiPost<FreshKeyRecord>("/api/gw/api-keys", bodyOf(values)),
    onDone(made) {
      void client.invalidateQueries({ queryKey: [...key, "keys"] });
      onClose();
      onMade(made);
    },
  });
  return (
    <form onSubmit={create.onSubmit}>
      <Stack>
        <KeyFields form={form} isNew />
        <FormError error={create.error} />
        <Buttons action="Create the key" isPending={create.isPending} onClose={onClose} />
      </Stack>
    </form>
  );
}

function KeyForm({ subject, onClose }: { subject: ApiKeyRecord; onClose: () => void }) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const form = useForm<KeyValues>({ initialValues: valuesOf(subject), validate: checkKey });
  const change = useFormMutation({
    form,
    send: (values) => apiPatch<ApiKeyRecord>(`/api/gw/api-keys/${subject.id}`, bodyOf(values, subject)),
    onDone() {
      void client.invalidateQueries({ queryKey: [...key, "keys"] });
      notifyDone("The key is changed. It holds from the next call on.");
      onClose();
    },
  });
  return (
    <form onSubmit={change.onSubmit}>
      <Stack>
        <KeyFields form={form} isNew={false} />
        <FormError error={change.error} />
        <Buttons action="Save" isPending={change.isPending} onClose={onClose} />
      </Stack>
    </form>
  );
}

const Buttons = ({ action, isPending, onClose }: { action: string; isPending: boolean; onClose: () => void }) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onClose}>
      Cancel
    </Button>
    <Button type="submit" loading={isPending}>
      {action}
    </Button>
  </Group>
);
