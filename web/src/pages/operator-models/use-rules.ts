import { useQuery } from "@tanstack/react-query";
import type { AliasView, FallbackView } from "../../../../src/contract/routing-rules.ts";
import { apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";

export type { AliasView, FallbackView };

/** Everything of the operator's that a changed alias or list of fallbacks shows in. */
export const RULES_KEY = ["operator"] as const;

const useList = <T>(what: "aliases" | "fallbacks") =>
  useQuery({
    queryKey: [...RULES_KEY, what],
    queryFn: ({ signal }) => apiGet<Paged<T>>(`/api/admin/${what}`, { pageSize: 100 }, signal),
  });

export const useAliases = () => useList<AliasView>("aliases");
export const useFallbacks = () => useList<FallbackView>("fallbacks");

export const aliasPath = (alias: string): string => `/api/admin/aliases/${encodeURIComponent(alias)}`;
export const fallbackPath = ({ kind, group }: Pick<FallbackView, "kind" | "group">): string =>
  `/api/admin/fallbacks/${kind}/${encodeURIComponent(group)}`;

export const WHEN: Readonly<Record<FallbackView["kind"], string>> = {
  general: "whatever fails",
  context_window: "a prompt is too long",
  content_policy: "content is refused",
};

/** How `*` is told to people. */
export const groupName = (group: string): string => (group === "*" ? "all other groups" : group);
