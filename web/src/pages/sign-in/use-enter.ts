import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { keepCsrfToken } from "../../api/client.ts";

/** A path of ours, never another host. */
export const ownPath = (text: string | undefined): string =>
  text !== undefined && /^\/(?![/\\])/.test(text) ? text : "/";

/** After a session was given: read anew who one is, and go where one wanted to. */
export function useEnter(): (csrfToken: string | undefined) => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { to } = useSearch({ strict: false }) as { to?: string };
  return async (csrfToken) => {
    keepCsrfToken(csrfToken ?? null);
    await client.resetQueries();
    await navigate({ href: ownPath(to), replace: true } as never);
  };
}
