import { useQueries } from "@tanstack/react-query";
import type { ApiKeyRecord } from "../../../../src/contract/keys.ts";
import type { TeamMemberRecord } from "../../../../src/contract/organizations.ts";
import { apiGet } from "../../api/client.ts";
import { useMaySee, useOrganization, useOrganizationKey, useSignedIn } from "../../session/session.ts";

/**
 * Which of these keys the person may change, as the server decides it: those that they have made, those of a team that they run,
 * and all of them for owners and admins of the organization. What would be refused is not offered.
 */
export function useMayChange(keys: readonly ApiKeyRecord[]): (key: ApiKeyRecord) => boolean {
  const { user } = useSignedIn();
  const role = useOrganization()?.role;
  const runsOrganization = useMaySee()("organization");
  const organization = useOrganizationKey();
  const isMine = (key: ApiKeyRecord): boolean => key.createdBy === user.id;
  const asked = new Set(
    runsOrganization || role === "viewer" ? [] : keys.filter((key) => !isMine(key)).map(({ teamId }) => teamId),
  );
  const runs = useQueries({
    queries: [...asked].map((teamId) => ({
      queryKey: [...organization, "teams", "one", teamId],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        apiGet<{ id: string; members: readonly TeamMemberRecord[] }>(`/api/gw/teams/${teamId}`, {}, signal),
      staleTime: 60_000,
    })),
    combine: (results) =>
      results.flatMap(({ data }) =>
        data?.members.some(({ userId, role }) => userId === user.id && role === "admin") ? [data.id] : [],
      ),
  });
  if (role === "viewer") return () => false;
  return (key) => runsOrganization || isMine(key) || runs.includes(key.teamId);
}
