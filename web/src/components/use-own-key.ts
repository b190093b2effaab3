import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ApiKeyRecord } from "../../../src/contract/keys.ts";
import { apiGet, apiPost, call } from "../api/client.ts";
import type { Paged } from "../api/paged.ts";
import { useOrganizationKey } from "../session/session.ts";
import { useTeamChoice } from "../session/team-choice.tsx";
import { type PlatformModel, useModels } from "./use-models.ts";

/** The person's own keys that work: calls of pages are made, charged and limited as theirs. */
export function useOwnKeys() {
  const key = useOrganizationKey();
  return useQuery({
    queryKey: [...key, "keys", "own"],
    queryFn: ({ signal }) =>
      apiGet<Paged<ApiKeyRecord>>("/api/api-keys", { mine: true, status: "active", pageSize: 100 }, signal),
  });
}

/** A key for who has none yet. Its value is thrown away: the page calls by its id. */
export function useMakeOwnKey(onMade: (key: ApiKeyRecord) => void) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const { team, teams } = useTeamChoice();
  const teamId = team?.id ?? teams[0]?.id;
  const make = useMutation({
    mutationFn: () => apiPost<ApiKeyRecord>("/api/gw/api-keys", { name: newName(), teamId }),
    async onSuccess(made) {
      await client.invalidateQueries({ queryKey: [...key, "keys"] });
      onMade(made);
    },
  });
  return { ...make, hasTeam: teamId !== undefined };
}

/** Names are unique in a team, where others have playgrounds too. */
const newName = (): string => `Playground ${crypto.randomUUID().slice(0, 4)}`;

/** None of its calls would come through now. */
const cannotBeCalled = ({ status, priceStatus }: PlatformModel): boolean =>
  status === "unavailable" || priceStatus === "unknown";

/** What the key may call, of one kind; those that would refuse come last, because pages begin with the first one. */
export function useModelsOfKey(keyId: string | null, type: string) {
  const all = useModels();
  const allowed = useQuery({
    queryKey: ["models", "of-key", keyId],
    enabled: keyId !== null,
    staleTime: 60_000,
    async queryFn({ signal }) {
      const headers = { "x-gw-key-id": keyId ?? "" };
      const response = await call("GET", "/v1/models", { headers, signal });
      return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
    },
  });
  const models = all.data?.filter((model) => model.type === type && (allowed.data?.includes(model.id) ?? true));
  const inOrder = models?.toSorted((one, other) => Number(cannotBeCalled(one)) - Number(cannotBeCalled(other)));
  return { models: inOrder ?? [], isPending: all.isPending || (keyId !== null && allowed.isPending) };
}
