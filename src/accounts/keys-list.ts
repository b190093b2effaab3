import { cutPage } from "../contract/paging.ts";
import type { ApiKey } from "./records.ts";
import type { KeyOrder, KeyStore, Page, Paged } from "./store.ts";

/** As people see it: a key that is on but whose time is over is `expired`. */
export type KeyStatus = "active" | "disabled" | "expired";

export interface KeyQuery {
  readonly search?: string | undefined;
  readonly status?: KeyStatus | undefined;
  /** Who made them. */
  readonly createdBy?: number | undefined;
  readonly order?: KeyOrder;
}

/** More than an organization may have, so that one look is enough. */
const CHUNK = 500;

export const statusOf = ({ status, expiresAt }: ApiKey, nowMs: number): KeyStatus =>
  status === "active" && expiresAt !== null && expiresAt <= nowMs ? "expired" : status;

/** The newest first unless told. */
export async function listKeys(
  store: KeyStore,
  teamIds: readonly string[],
  { search, status, createdBy, order }: KeyQuery,
  page: Page,
  nowMs: number,
): Promise<Paged<ApiKey>> {
  const filter = {
    teamIds,
    ...(search === undefined ? {} : { search }),
    ...(createdBy === undefined ? {} : { createdBy }),
  };
  if (status === undefined) return store.list(filter, page, order);
  if (status === "disabled") return store.list({ ...filter, status }, page, order);
  // The store knows what is switched off, not what is over by now: those two are told apart here.
  const found: ApiKey[] = [];
  for (let chunk = 1, total = 1; found.length < total; chunk++) {
    const part = await store.list({ ...filter, status: "active" }, { page: chunk, pageSize: CHUNK }, order);
    found.push(...part.rows);
    total = part.rows.length === 0 ? 0 : part.total;
  }
  const matching = found.filter((key) => statusOf(key, nowMs) === status);
  return { rows: cutPage(matching, page), total: matching.length };
}
