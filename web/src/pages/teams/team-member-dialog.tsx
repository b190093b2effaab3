import { Select } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { TeamMemberRecord, TeamRecord } from "../../../../src/contract/organizations.ts";
import { apiPatch } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useOrganizationKey } from "../../session/session.ts";
import { LimitFields } from "./limit-fields.tsx";
import { checkUsd, limitBody, limitValues } from "./limit-values.ts";

interface TeamMemberDialogProps {
  readonly team: TeamRecord;
  readonly member: TeamMemberRecord;
  readonly maySetLimits: boolean;
  readonly onClose: () => void;
}

/** Role and limits of somebody in one team. */
export function TeamMemberDialog({ team, member, maySetLimits, onClose }: TeamMemberDialogProps) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const form = useForm({
    initialValues: { role: member.role as string, ...limitValues(member) },
    validate: { budget: checkUsd },
  });
  const save = useFormMutation({
    form,
    send: ({ role, ...limits }) =>
      apiPatch<TeamMemberRecord>(`/api/gw/teams/${team.id}/members/${member.userId}`, {
        role,
        ...(maySetLimits ? limitBody(limits) : {}),
      }),
    onDone() {
      notifyDone("The member is changed.");
      onClose();
      void client.invalidateQueries({ queryKey: [...key, "teams"] });
    },
  });
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={`${member.name || member.email} in ${team.name}`}
      action="Save"
      onSubmit={save.onSubmit}
      error={save.error}
      isPending={save.isPending}
    >
      <Select
        label="Role in the team"
        data={[
          { value: "member", label: "Member: makes keys and calls models" },
          { value: "admin", label: "Admin: also invites people" },
        ]}
        allowDeselect={false}
        {...form.getInputProps("role")}
      />
      {maySetLimits && <LimitFields form={form} />}
    </FormDialog>
  );
}
