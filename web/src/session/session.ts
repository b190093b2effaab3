import {
  type QueryClient,
  type QueryFunctionContext,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { OrganizationRecord, TeamRecord } from "../../../src/contract/organizations.ts";
import { ApiError } from "../api/api-error.ts";
import { apiGet, apiPost, call, keepCsrfToken, keepUser } from "../api/client.ts";
import type { Paged } from "../api/paged.ts";
import { keepWhetherSignedIn, wasSignedIn } from "./was-signed-in.ts";

export interface Me {
  readonly user: {
    readonly id: number;
    readonly email: string;
    readonly name: string;
    /** `admin` runs this installation. */
    readonly role: "user" | "admin";
    readonly emailVerified: boolean;
    readonly twoFactorEnabled: boolean;
  };
  readonly activeOrganizationId: string | null;
  /** While an administrator sees the pages as this user. */
  readonly impersonation?: {
    readonly administrator: { readonly name: string };
    /** Seconds, as the server counts them: the browser's time of day may be another. */
    readonly expiresIn: number;
  };
  /** Without mail no address can be verified. */
  readonly sendsMail: boolean;
  /** The session is over, but the page with all that was typed is still there: the person logs in again above it. */
  readonly hasEnded?: boolean;
}

async function readMe({ signal, client }: QueryFunctionContext): Promise<Me | null> {
  try {
    const { csrfToken, ...me } = await apiGet<Me & { csrfToken?: string }>("/api/auth/me", undefined, signal);
    keepCsrfToken(csrfToken ?? null);
    keepUser(me.user.id);
    keepWhetherSignedIn(true);
    return me;
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.isSightOver) return await leaveSight();
    if (thrown instanceof ApiError && thrown.status === 401) {
      keepWhetherSignedIn(false);
      return ended(client.getQueryData(ME_KEY));
    }
    throw thrown;
  }
}

/** Back to the administrator's own session, on the page that it began from; nothing of the user stays. Many calls may ask for it. */
let leaving: Promise<never> | null = null;
export const leaveSight = (): Promise<never> => {
  leaving ??= leave();
  return leaving;
};

async function leave(): Promise<never> {
  // Another tab may have gone back already: then there is nothing to stop.
  await call("POST", "/api/auth/impersonation/stop").catch(() => undefined);
  window.location.assign("/ui/operator/users");
  return new Promise(() => undefined);
}

const ended = (before: Me | null | undefined): Me | null => (before ? { ...before, hasEnded: true } : null);

/** The session is over, and nobody has asked for it. */
export const endSession = (client: QueryClient): void => {
  keepCsrfToken(null);
  client.setQueryData<Me | null>(ME_KEY, ended);
};

/** Nothing of whoever was signed in stays. */
export function forgetSession(client: QueryClient): void {
  keepCsrfToken(null);
  keepWhetherSignedIn(false);
  client.clear();
  client.setQueryData(ME_KEY, null);
}

export const ME_KEY = ["me"] as const;

const ME = queryOptions({
  queryKey: ME_KEY,
  queryFn: readMe,
  // Somebody may log in again in another tab.
  staleTime: ({ state }) => (state.data?.hasEnded ? 0 : 60_000),
});
const ORGANIZATIONS = queryOptions({
  queryKey: ["organizations"],
  queryFn: ({ signal }) => apiGet<Paged<OrganizationRecord>>("/api/gw/organizations/list", { pageSize: 100 }, signal),
  staleTime: 60_000,
});

/** Who is signed in; null for nobody. */
export const useMe = () => useQuery(ME);

/**
 * What `useMe` and `useOrganizations` want to know, ahead of them. What fails here is asked again by them, and shown.
 * A page that needs nobody asks for nobody: the refusal would stand in the browser's console.
 */
export async function askWhoIsSignedIn(client: QueryClient, isPublic: boolean): Promise<void> {
  if (isPublic && !wasSignedIn()) {
    client.setQueryData(ME.queryKey, null);
    return;
  }
  await client.prefetchQuery(ME);
  if (client.getQueryData(ME.queryKey)) await client.prefetchQuery(ORGANIZATIONS);
}

/** Handed down by the frame, which takes the page away when nobody is signed in any more. */
export const SignedIn = createContext<Me | null>(null);

/** Who is signed in, on pages that are shown to such people only. */
export function useSignedIn(): Me {
  const me = useContext(SignedIn);
  if (me === null) throw new Error("This page is for people who are signed in.");
  return me;
}

export const useOrganizations = (enabled = true) => useQuery({ ...ORGANIZATIONS, enabled });

/** The organization that the session works in, with the person's role; undefined while it is read or where there is none. */
export function useOrganization(): OrganizationRecord | undefined {
  const { data: me } = useMe();
  const { data } = useOrganizations(me !== null && me !== undefined);
  const active = data?.data.find(({ id }) => id === me?.activeOrganizationId);
  return active ?? data?.data[0];
}

/** Keys of queries that belong to the active organization begin so, that a switch of the organization asks anew. */
export function useOrganizationKey(): readonly [string, string] {
  return ["organization", useOrganization()?.id ?? "none"];
}

/** `callers` are those who may have a key: everybody but the viewers of an organization. */
export type Access = "everyone" | "callers" | "organization" | "operator";

/** What somebody is shown. What they may do is decided by the server alone. */
export function useMaySee(): (access: Access) => boolean {
  const { data: me } = useMe();
  const organization = useOrganization();
  const isOperator = me?.user.role === "admin";
  const runsOrganization = organization?.role === "owner" || organization?.role === "admin";
  return (access) => {
    if (access === "callers") return organization?.role !== "viewer";
    return access === "everyone" || (access === "operator" ? isOperator : runsOrganization);
  };
}

export function useSwitchOrganization() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (organizationId: string) => apiPost("/api/gw/organizations/active", { organizationId }),
    // Nothing of the organization before may stay on the screen.
    onSuccess: () => client.resetQueries(),
  });
}

/** Teams of the active organization that the person sees; lists longer than a hundred have a page of their own. */
export function useTeams() {
  const key = useOrganizationKey();
  return useQuery({
    queryKey: [...key, "teams", "choice"],
    queryFn: ({ signal }) => apiGet<Paged<TeamRecord>>("/api/gw/teams", { pageSize: 100 }, signal),
    staleTime: 60_000,
  });
}

export function useLogOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => apiPost("/api/auth/logout"),
    onSettled: () => forgetSession(client),
  });
}
