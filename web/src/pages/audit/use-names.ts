import { useQuery } from "@tanstack/react-query";
import type { MemberRecord } from "../../../../src/contract/organizations.ts";
import { apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";
import { useOrganization, useOrganizationKey, useTeams } from "../../session/session.ts";
import type { AuditEntry } from "./audit-entry.ts";

/** Pages of a hundred that are read for names. */
const PAGES_MAX = 20;

export interface Names {
  readonly people: readonly { readonly value: string; readonly label: string }[];
  person(userId: number): string;
  who(entry: AuditEntry): string;
  target(entry: AuditEntry): string;
}

/** The log has ids; these are the names that they have today. Whoever has left is a number. */
export function useNames(): Names {
  const organization = useOrganization();
  const key = useOrganizationKey();
  const teams = useTeams().data?.data ?? [];
  const { data } = useQuery({
    queryKey: [...key, "members", "all"],
    staleTime: 60_000,
    async queryFn({ signal }) {
      const path = `/api/gw/organizations/${organization?.id}/members`;
      const read = (page: number) => apiGet<Paged<MemberRecord>>(path, { page, pageSize: 100 }, signal);
      const first = await read(1);
      const rest = Array.from({ length: Math.min(first.meta.totalPages, PAGES_MAX) - 1 }, (_, at) => read(at + 2));
      return [first, ...(await Promise.all(rest))].flatMap(({ data }) => data);
    },
  });
  const members = data ?? [];
  // While they cannot be read, nobody is said to have left.
  const stranger = (userId: number): string => (data ? `Person ${userId}, no member` : `Person ${userId}`);
  const person = (userId: number): string =>
    members.find((member) => member.userId === userId)?.name ?? stranger(userId);
  return {
    people: members
      .filter(({ userId }) => userId !== null)
      .map(({ userId, name, email }) => ({ value: String(userId), label: email === "" ? name : `${name} (${email})` })),
    person,
    who(entry) {
      const userId = entry.userId ?? newcomer(entry);
      if (userId !== null) return person(userId);
      return entry.actor === "system" ? "Turnpike itself" : "Operator (master key)";
    },
    target({ targetType, targetId, details }) {
      if (targetType === "organization") return organization?.id === targetId ? organization.name : targetId;
      if (targetType === "team") return teams.find(({ id }) => id === targetId)?.name ?? nameIn(details) ?? targetId;
      const isPerson = targetType === "member" || targetType === "user";
      const member = isPerson ? members.find(({ userId }) => String(userId) === targetId) : undefined;
      return member?.name ?? nameIn(details) ?? targetId;
    },
  };
}

/** Nobody is signed in yet who signs up or accepts an invitation: the log has them as the target alone. */
function newcomer({ actor, action, targetId, details }: AuditEntry): number | null {
  if (actor !== "system") return null;
  if (action === "user.sign_up") return Number(targetId);
  return action === "invitation.accept" && typeof details.userId === "number" ? details.userId : null;
}

const nameIn = ({ name, email }: AuditEntry["details"]): string | undefined =>
  typeof name === "string" ? name : typeof email === "string" ? email : undefined;
