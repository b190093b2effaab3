import type { StoredCredential, StoredDeployment } from "../accounts/model-records.ts";
import { isOpenInfo, isOpenParam } from "../config/open-fields.ts";
import { isRecord } from "../lib/json.ts";
import { SealError, seal, unseal } from "../lib/seal.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** A stored deployment with all of its parameters. */
export interface OpenDeployment {
  readonly record: StoredDeployment;
  readonly params: Fields;
  readonly info: Fields;
  /** The sealed part could not be opened; what is here is the open part alone. */
  readonly damaged: boolean;
}

export interface OpenCredential {
  readonly record: StoredCredential;
  readonly values: Fields;
  readonly info: Fields;
  readonly damaged: boolean;
}

/** What a row holds of a deployment's fields: those that are known to be harmless as they are, all others sealed. */
export function sealDeployment(
  key: Uint8Array,
  id: string,
  { params, info }: { readonly params: Fields; readonly info: Fields },
): Pick<StoredDeployment, "params" | "info" | "sealed"> {
  const secret = { params: pick(params, (name) => !isOpenParam(name)), info: pick(info, (name) => !isOpenInfo(name)) };
  return {
    params: pick(params, isOpenParam),
    info: pick(info, isOpenInfo),
    sealed: seal(key, `deployment:${id}`, JSON.stringify(secret)),
  };
}

export function openDeployment(key: Uint8Array, record: StoredDeployment): OpenDeployment {
  const secret = open(key, `deployment:${record.id}`, record.sealed);
  const { params, info } = secret ?? {};
  return {
    record,
    params: { ...record.params, ...fields(params) },
    info: { ...record.info, ...fields(info) },
    damaged: secret === null,
  };
}

export const sealCredential = (key: Uint8Array, id: string, values: Fields, info: Fields): string =>
  seal(key, `credential:${id}`, JSON.stringify({ values, info }));

export function openCredential(key: Uint8Array, record: StoredCredential): OpenCredential {
  const secret = open(key, `credential:${record.id}`, record.sealed);
  const { values, info } = secret ?? {};
  return { record, values: fields(values), info: fields(info), damaged: secret === null };
}

/** Null for what does not open: one damaged row must not take the others with it. */
function open(key: Uint8Array, use: string, sealed: string): Fields | null {
  try {
    return fields(JSON.parse(unseal(key, use, sealed)));
  } catch (thrown) {
    if (thrown instanceof SealError || thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

const fields = (value: unknown): Fields => (isRecord(value) ? value : {});

const pick = (all: Fields, keep: (name: string) => boolean): Fields =>
  Object.fromEntries(Object.entries(all).filter(([name]) => keep(name)));
