import { Select, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { MemberRecord } from "../../../../src/contract/organizations.ts";
import type { ApiError } from "../../api/api-error.ts";
import { apiPatch } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { FormError } from "../../components/form-error.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useOrganization, useOrganizationKey } from "../../session/session.ts";

type Role = MemberRecord["role"];

const ROLES: readonly Role[] = ["owner", "admin", "member", "viewer"];
const RANKING: readonly Role[] = ["owner", "admin"];
const AS_A: Readonly<Record<Role, string>> = {
  owner: "an owner",
  admin: "an admin",
  member: "a member",
  viewer: "a viewer",
};
const MEANINGS: Readonly<Record<Role, string>> = {
  owner: "Owners may do everything in the organization, also to other owners: take their rights, and delete it.",
  admin: "Admins manage its teams, people, keys and credit.",
  member: "Members see the teams that they are in, and make keys there.",
  viewer: "Viewers read, and change nothing.",
};

/** What somebody is in the organization. Where rights over others are given or taken, it asks first. */
export function RoleSelect({ member }: { member: MemberRecord }) {
  const organization = useOrganization();
  const client = useQueryClient();
  const key = useOrganizationKey();
  const [wanted, setWanted] = useState<Role | null>(null);
  const name = member.name || member.email;
  const change = useMutation<unknown, ApiError, Role>({
    mutationFn: (role) => apiPatch(`/api/gw/organizations/${organization?.id}/members/${member.userId}`, { role }),
    onSuccess(_, role) {
      setWanted(null);
      notifyDone(`${name} is ${AS_A[role]} now.`);
    },
    // The question shows it, and where none was asked it is asked now, with the reason why it did not work.
    onError: (_, role) => setWanted(role),
    onSettled: () => client.invalidateQueries({ queryKey: [...key, "members"] }),
    meta: { showsError: true },
  });
  const choose = (role: Role): void => {
    if (role === member.role) return;
    change.reset();
    if (RANKING.includes(role) || RANKING.includes(member.role)) setWanted(role);
    else change.mutate(role);
  };
  const roles = organization?.role === "owner" ? ROLES : ROLES.filter((role) => role !== "owner");
  return (
    <>
      <Select
        size="xs"
        w={96}
        aria-label={`Role of ${name}`}
        data={roles}
        value={change.isPending ? change.variables : member.role}
        onChange={(role) => role !== null && choose(role)}
        allowDeselect={false}
        disabled={change.isPending}
      />
      <ConfirmDialog
        opened={wanted !== null}
        onClose={() => setWanted(null)}
        title={`Make ${name} ${AS_A[wanted ?? member.role]}?`}
        action="Change the role"
        isPending={change.isPending}
        onConfirm={() => wanted !== null && change.mutate(wanted)}
      >
        <Stack gap="sm">
          <Text size="sm">
            {name} is {AS_A[member.role]} now. {MEANINGS[wanted ?? member.role]}
          </Text>
          <FormError error={change.error} />
        </Stack>
      </ConfirmDialog>
    </>
  );
}
