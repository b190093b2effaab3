import type { Fault } from "../config/fault.ts";
import { MASKED } from "../contract/deployment.ts";
import { type FieldFault, GatewayError } from "../contract/errors.ts";
import { publicAddress } from "../contract/public-address.ts";
import type { Fields, OpenDeployment } from "./sealing.ts";

/** A model as an operator writes it: what an entry of the configuration file's list holds. */
export interface Entry {
  readonly group: unknown;
  readonly params: Fields;
  readonly info: Fields;
}

export interface EntryChanges {
  readonly group?: unknown;
  readonly params?: Fields;
  readonly info?: Fields;
}

/** The entry after a change. The id is not part of it: a model keeps the one it has. */
export function mergeEntry(
  group: string,
  { params, info }: Pick<OpenDeployment, "params" | "info">,
  changes: EntryChanges,
): Entry {
  const { id: _, ...changedInfo } = changes.info ?? {};
  return {
    group: changes.group ?? group,
    params: mergeFields("litellm_params", params, changes.params ?? {}),
    info: mergeFields("model_info", info, changedInfo),
  };
}

/** What is left out stays, null takes a field away, a mask stands for what is there; so does an address as it is shown. */
export function mergeFields(path: string, present: Fields, changes: Fields): Fields {
  const merged = new Map(Object.entries(present));
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) merged.delete(name);
    else if (value !== MASKED && !isShown(merged.get(name), value)) {
      if (holdsMask(value)) throw entryFault([{ path: `${path}.${name}`, message: HIDDEN }]);
      merged.set(name, value);
    }
  }
  return Object.fromEntries(merged);
}

/** Where there is nothing yet, there is nothing that a mask could stand for: it would be kept as the secret, or passed over. */
export function refuseMasks(path: string, fields: Fields, present: Fields = {}): void {
  const masked = Object.keys(fields).filter((name) => !Object.hasOwn(present, name) && holdsMask(fields[name]));
  if (masked.length > 0) throw entryFault(masked.map((name) => ({ path: `${path}.${name}`, message: HIDDEN })));
}

const HIDDEN = "holds a mask in place of a secret; send the secret itself, or leave the field out";

const isShown = (present: unknown, value: unknown): boolean =>
  typeof present === "string" && present.includes("://") && holdsMask(value) && publicAddress(present) === value;

function holdsMask(value: unknown): boolean {
  if (typeof value === "string") return value === MASKED || (value.includes("://") && value.includes(MASKED));
  return typeof value === "object" && value !== null && Object.values(value).some(holdsMask);
}

/** All that is wrong with an entry, as a validation error that names each field. */
export function entryFault(faults: readonly Pick<Fault, "path" | "message">[]): GatewayError {
  const told = faults.map(
    ({ path, message }): FieldFault => ({ loc: ["body", ...placesOf(path)], msg: message, type: "value_error" }),
  );
  return new GatewayError("validation", told[0]?.msg ?? "The model is not valid.", { faults: told });
}

const placesOf = (path: string): (string | number)[] =>
  path
    .split(/[.[\]]+/)
    .filter((part) => part !== "")
    .map((part) => (/^\d{1,9}$/.test(part) ? Number(part) : part));
