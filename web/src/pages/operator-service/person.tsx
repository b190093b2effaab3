import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";

interface PersonProps {
  readonly actor: string;
  readonly userId: number | null;
}

/** Who did something: the person by name where there is one, else what it was. Each is asked for once. */
export function Person({ actor, userId }: PersonProps) {
  const { data } = useQuery({
    queryKey: ["operator", "users", "one", userId],
    queryFn: ({ signal }) => apiGet<{ name: string; email: string }>(`/api/admin/users/${userId}`, {}, signal),
    enabled: userId !== null,
    staleTime: Number.POSITIVE_INFINITY,
    // Somebody who was removed since is a number.
    retry: false,
  });
  if (userId === null) return actor;
  return data ? <span title={data.email}>{data.name}</span> : `${actor} ${userId}`;
}
