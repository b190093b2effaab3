import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

/** `opens` is a step of its own, which "back" undoes: a call that is looked at. Filters are not, or "back" would never leave the page. */
export type Step = "opens" | "changes";

/**
 * State in the address bar, so that a view can be sent to somebody and "back" works. What equals its default is left out.
 * Whatever else changes, the list begins with its first page again.
 */
export function useSearchState<T extends Readonly<Record<string, string>>>(
  defaults: T,
): readonly [T, (changes: Partial<T>, how?: Step) => void] {
  const search = useSearch({ strict: false }) as Record<string, string | undefined>;
  const navigate = useNavigate();
  const values = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, search[name] ?? value]),
  ) as unknown as T;
  const set = useCallback(
    (changes: Partial<T>, how: Step = "changes") => {
      void navigate({
        to: ".",
        replace: how === "changes",
        resetScroll: false,
        search: ((before: Record<string, unknown>) => {
          const next: Record<string, unknown> = {
            ...before,
            ...("page" in changes ? {} : { page: undefined }),
            ...changes,
          };
          for (const [name, value] of Object.entries(defaults)) if (next[name] === value) delete next[name];
          return next;
        }) as never,
      });
    },
    [navigate, defaults],
  );
  return [values, set];
}
