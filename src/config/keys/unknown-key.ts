import { suggest } from "../../lib/spelling/suggest.ts";
import type { Place, Report } from "../fault.ts";
import { shown } from "../secrets.ts";
import { GATEWAY_SETTINGS } from "./gateway-settings.ts";
import { GENERAL_SETTINGS } from "./general-settings.ts";
import type { KeyTable } from "./key-table.ts";
import { LITELLM_PARAMS } from "./litellm-params.ts";
import { ROUTER_SETTINGS } from "./router-settings.ts";
import { TOP_LEVEL } from "./top-level.ts";

/** Where a key may have been meant to stand, most telling first. */
const HOMES: readonly (readonly [string, KeyTable])[] = [
  ["at the top level", TOP_LEVEL],
  ["under `general_settings`", GENERAL_SETTINGS],
  ["under `router_settings`", ROUTER_SETTINGS],
  ["under `litellm_settings`", GATEWAY_SETTINGS],
  ["under `litellm_params` of a model", LITELLM_PARAMS],
];

/** Tables up to this size are listed where no key of theirs is near. */
const CHOICES_MAX = 6;

/** Gives back the key that was probably meant. */
export function reportUnknownKey(
  report: Report,
  at: Place,
  path: string,
  key: string,
  section: string,
  table: KeyTable,
): string | null {
  const meant = suggest(key, table.keys());
  const home = HOMES.find(([, keys]) => keys !== table && keys.has(key))?.[0];
  const where = section === "" ? "" : ` in \`${section}\``;
  const choices = table.size <= CHOICES_MAX ? `; it takes ${[...table.keys()].join(", ")}` : "";
  const near = meant === null ? choices : `; did you mean \`${meant}\`?`;
  const instead = table.advice.get(key);
  const elsewhere = home === undefined ? near : `; it belongs ${home}`;
  const advice = instead === undefined ? elsewhere : `; ${instead}`;
  report.fault(at, path, `unknown key \`${shown(key)}\`${where}${advice}`);
  return home === undefined ? meant : null;
}
