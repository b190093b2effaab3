import { useSearch } from "@tanstack/react-router";

/** What a mailed link has after `?token=`. */
export const useLinkToken = (): string => (useSearch({ strict: false }) as { token?: string }).token ?? "";
