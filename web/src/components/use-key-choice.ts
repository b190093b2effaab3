import { useLocalStorage } from "@mantine/hooks";
import { useOrganization } from "../session/session.ts";
import { useOwnKeys } from "./use-own-key.ts";

/** The key that pages call with, kept in this browser for each organization. */
export function useKeyChoice() {
  const organizationId = useOrganization()?.id ?? "none";
  const [chosen, choose] = useLocalStorage<string | null>({
    key: `turnpike-key-${organizationId}`,
    defaultValue: null,
  });
  const keys = useOwnKeys();
  const own = keys.data?.data ?? [];
  return { keys, own, key: own.find(({ id }) => id === chosen) ?? own[0], choose };
}
