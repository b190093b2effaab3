import { Button, Group, Select, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { InvitationRecord, MemberRecord, TeamRecord } from "../../../../src/contract/organizations.ts";
import { apiPost } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useMaySee, useOrganizationKey, useTeams } from "../../session/session.ts";
import { InviteLink } from "./invite-link.tsx";

interface InviteDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Into this team; else one is chosen. */
  readonly team?: TeamRecord;
}

const ROLES = [
  { value: "member", label: "Member: makes keys and calls models" },
  { value: "admin", label: "Admin of the team: also invites people" },
];
/** Sees all teams, so that it is given by who runs the organization. */
const VIEWER = { value: "viewer", label: "Viewer: reads, and changes nothing" };

/** Brings somebody into a team: by mail, by a link to hand over, or at once where they are in the organization already. */
export function InviteDialog({ opened, onClose, team }: InviteDialogProps) {
  const [invited, setInvited] = useState<InvitationRecord | MemberRecord | null>(null);
  // The form begins with one of them.
  const waits = useTeams().isPending && team === undefined;
  const close = (): void => {
    setInvited(null);
    onClose();
  };
  return (
    <FormModal opened={opened} onClose={close} title="Invite somebody">
      {invited ? (
        <Stack>
          {"expiresAt" in invited ? (
            <InviteLink invitation={invited} />
          ) : (
            <Text>
              <b>{invited.email}</b> is in the organization already, and now in the team.
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setInvited(null)}>
              Invite another
            </Button>
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : waits ? (
        <Skeleton height={240} />
      ) : (
        <Form team={team} onInvited={setInvited} />
      )}
    </FormModal>
  );
}

interface FormProps {
  readonly team: TeamRecord | undefined;
  readonly onInvited: (invited: InvitationRecord | MemberRecord) => void;
}

function Form({ team, onInvited }: FormProps) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const teams = useTeams().data?.data ?? [];
  const roles = useMaySee()("organization") ? [...ROLES, VIEWER] : ROLES;
  const form = useForm({ initialValues: { email: "", role: "member", teamId: team?.id ?? teams[0]?.id ?? "" } });
  const invite = useFormMutation({
    form,
    send: (values) => apiPost<InvitationRecord | MemberRecord>("/api/gw/teams/invite-member", values),
    onDone(result) {
      onInvited(result);
      void client.invalidateQueries({ queryKey: key });
    },
  });
  return (
    <form onSubmit={invite.onSubmit}>
      <Stack>
        <TextInput label="E-mail" type="email" required data-autofocus {...form.getInputProps("email")} />
        {team === undefined && (
          <Select
            label="Team"
            required
            searchable
            data={teams.map(({ id, name }) => ({ value: id, label: name }))}
            allowDeselect={false}
            {...form.getInputProps("teamId")}
          />
        )}
        <Select label="Role" data={roles} allowDeselect={false} {...form.getInputProps("role")} />
        <FormError error={invite.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={invite.isPending}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
