import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import { apiGet } from "../../api/client.ts";
import { useDeployments } from "../../components/use-deployments.ts";
import { type FallbackKind, type RoutedGroup, routedGroups } from "./routing.ts";

interface Settings {
  readonly settings: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Routing {
  readonly groups: readonly RoutedGroup[];
  readonly defaultFallbacks: readonly string[];
}

const LISTS: Readonly<Record<FallbackKind, string>> = {
  general: "router_settings.fallbacks",
  context: "router_settings.context_window_fallbacks",
  content: "router_settings.content_policy_fallbacks",
};

/** Groups with their deployments, other names and stand-ins, as the process that answers has them. */
export function useRouting() {
  const settings = useQuery({
    queryKey: ["operator", "settings"],
    queryFn: ({ signal }) => apiGet<Settings>("/api/admin/settings", {}, signal),
  });
  const deployments = useDeployments();
  const data = useMemo<Routing | undefined>(() => {
    if (!settings.data || !deployments.data) return undefined;
    const value = <T>(name: string, otherwise: T): T => (settings.data.settings[name]?.value ?? otherwise) as T;
    const fallbacks = (Object.keys(LISTS) as FallbackKind[]).map(
      (kind) => [kind, value<Record<string, readonly string[]>>(LISTS[kind], {})] as const,
    );
    const aliases = {
      ...value<Record<string, string>>("litellm_settings.model_alias_map", {}),
      ...Object.fromEntries(
        Object.entries(value<Record<string, { model: string }>>("router_settings.model_group_alias", {})).map(
          ([name, { model }]) => [name, model],
        ),
      ),
    };
    return {
      groups: routedGroups([...deployments.data.values()] as DeploymentView[], aliases, fallbacks),
      defaultFallbacks: value<readonly string[]>("router_settings.default_fallbacks", []),
    };
  }, [settings.data, deployments.data]);
  return { data, error: settings.error ?? deployments.error };
}
