import { type Actor, type ChangeNote, change } from "../accounts/change.ts";
import type { StoredCredential } from "../accounts/model-records.ts";
import type { AccountStores } from "../accounts/store.ts";
import { OF_MODELS_ALONE } from "../config/keys/litellm-params.ts";
import { isOpenParam } from "../config/open-fields.ts";
import { readCredentialValues } from "../config/read-entry.ts";
import { MASKED } from "../contract/deployment.ts";
import { GatewayError } from "../contract/errors.ts";
import { PROVIDER_IDS } from "../contract/provider-ids.ts";
import { newId } from "../lib/ids.ts";
import { entryFault, mergeFields, refuseMasks } from "./entry.ts";
import { readStock } from "./read-stock.ts";
import { type Fields, openCredential, sealCredential } from "./sealing.ts";
import { noteModelChange, type Stock } from "./stock.ts";
import { STORING_IS_OFF, type StoredModelDeps } from "./stored-models.ts";

/** A credential as operators see it: of what it holds, the names. */
export interface SeenCredential {
  readonly name: string;
  readonly source: "configuration" | "database";
  readonly provider: string | null;
  /** A mask in place of everything that may be secret. */
  readonly values: Fields;
  readonly info: Fields;
  /** The groups of stored models that stand on it. */
  readonly usedBy: readonly string[];
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
}

export interface CredentialInput {
  readonly values: Fields;
  readonly info: Fields;
}

const CREDENTIALS_MAX = 1_000;

/** Credentials of providers that operators keep in the database, beside those of the file's `credential_list`. */
export class StoredCredentials {
  constructor(private readonly deps: StoredModelDeps) {}

  /** Those of the file first. */
  list(): readonly SeenCredential[] {
    const { stock, surroundings } = this.deps.present();
    const stored = stock.credentials
      .filter(({ record }) => !Object.hasOwn(surroundings.credentials, record.name))
      .map(({ record, values, info }) => seen(record, values, info, usersOf(stock, record.name)));
    const configured = Object.entries(surroundings.credentials).map(([name, values]) =>
      seenConfigured(name, values, usersOf(stock, name)),
    );
    return [...configured, ...stored];
  }

  get(name: string): SeenCredential {
    const found = this.list().find((credential) => credential.name === name);
    if (!found) throw unknown();
    return found;
  }

  async create(actor: Actor, name: string, input: CredentialInput): Promise<SeenCredential> {
    this.requireStoring();
    const { stores, clock, sealingKey, stock } = this.deps;
    const { values, info } = mergeCredential({ values: {}, info: {} }, input);
    this.check(values);
    const made = await change(
      stores,
      clock,
      actor,
      async (tx) => {
        await noteModelChange(tx);
        const isConfigured = Object.hasOwn(this.deps.present().surroundings.credentials, name);
        if (isConfigured || (await tx.credentials.find(name))) {
          throw new GatewayError("conflict", "Another credential has this name.", { param: "name" });
        }
        if ((await tx.credentials.list()).length >= CREDENTIALS_MAX) {
          throw new GatewayError("conflict", `At most ${CREDENTIALS_MAX} credentials are kept here.`);
        }
        const id = newId();
        const now = clock.nowMs();
        const createdBy = actor.caller?.kind === "session" ? actor.caller.userId : null;
        const sealed = sealCredential(sealingKey, id, values, info);
        const times = { createdAt: now, updatedAt: now };
        const record = { id, name, provider: providerOf(info), sealed, createdBy, ...times };
        await tx.credentials.insert(record);
        return record;
      },
      () => noteOf("credential.create", name, { fields: Object.keys(values) }),
    );
    await stock.refresh();
    return this.told(made, values, info);
  }

  /** What is left out stays, null takes a value away. Refused where a model that stands on it would no longer work. */
  async update(actor: Actor, name: string, changes: Partial<CredentialInput>): Promise<SeenCredential> {
    this.requireStoring();
    const { stores, clock, sealingKey, stock } = this.deps;
    const { record, values, info } = await change(
      stores,
      clock,
      actor,
      async (tx) => {
        await noteModelChange(tx);
        const present = await this.requireStored(tx, name);
        const opened = openCredential(sealingKey, present);
        const merged = mergeCredential(opened, changes);
        this.check(merged.values);
        this.requireWorking({ record: present, ...merged, damaged: false });
        const sealed = sealCredential(sealingKey, present.id, merged.values, merged.info);
        const fields = { provider: providerOf(merged.info), sealed, updatedAt: clock.nowMs() };
        await tx.credentials.update(name, fields);
        return { record: { ...present, ...fields }, ...merged };
      },
      () => noteOf("credential.update", name, { fields: Object.keys(changes.values ?? {}) }),
    );
    await stock.refresh();
    return this.told(record, values, info);
  }

  async remove(actor: Actor, name: string): Promise<void> {
    this.requireStoring();
    const { stores, clock, stock } = this.deps;
    await change(
      stores,
      clock,
      actor,
      async (tx) => {
        await noteModelChange(tx);
        await this.requireStored(tx, name);
        const users = (await tx.deployments.list()).filter(({ params }) => params.litellm_credential_name === name);
        if (users.length > 0) {
          const groups = [...new Set(users.map(({ groupName }) => `\`${groupName}\``))].slice(0, 5).join(", ");
          throw new GatewayError(
            "conflict",
            `Models stand on this credential: ${groups}. Change or remove them first.`,
          );
        }
        await tx.credentials.remove(name);
      },
      () => noteOf("credential.remove", name, {}),
    );
    await stock.refresh();
  }

  /** As it was kept: the database may be gone again before that is loaded. */
  private told(record: StoredCredential, values: Fields, info: Fields): SeenCredential {
    return seen(record, values, info, usersOf(this.deps.present().stock, record.name));
  }

  private check(values: Fields): void {
    const { variable } = this.deps.present().surroundings;
    const { faults } = readCredentialValues(values, "credential_values", { variable });
    if (faults.length > 0) throw entryFault(faults);
  }

  private requireWorking(changed: Stock["credentials"][number]): void {
    const { stock, surroundings } = this.deps.present();
    const { name } = changed.record;
    const credentials = stock.credentials.map((one) => (one.record.name === name ? changed : one));
    const faults = readStock({ ...stock, credentials }, surroundings)
      .filter(({ open, deployment }) => open.params.litellm_credential_name === name && !deployment && !open.damaged)
      .flatMap(({ open, faults: found }) => found.map((message) => `\`${open.record.groupName}\`: ${message}`));
    if (faults.length > 0) throw entryFault(faults.map((message) => ({ path: "credential_values", message })));
  }

  private requireStoring(): void {
    if (!this.deps.present().surroundings.storeModels) throw new GatewayError("invalid_request", STORING_IS_OFF);
  }

  private async requireStored(tx: AccountStores, name: string): Promise<StoredCredential> {
    if (Object.hasOwn(this.deps.present().surroundings.credentials, name)) {
      throw new GatewayError("conflict", "This credential cannot be changed here: it is in the configuration file.");
    }
    const present = await tx.credentials.find(name);
    if (!present) throw unknown();
    return present;
  }
}

/** A credential after a change. */
function mergeCredential(
  present: CredentialInput,
  { values = {}, info = {} }: Partial<CredentialInput>,
): CredentialInput {
  const idle = Object.keys(values).filter((name) => OF_MODELS_ALONE.has(name) && values[name] !== null);
  if (idle.length > 0)
    throw entryFault(idle.map((name) => ({ path: `credential_values.${name}`, message: OF_A_MODEL })));
  refuseMasks("credential_values", values, present.values);
  refuseMasks("credential_info", info, present.info);
  return {
    values: mergeFields("credential_values", present.values, values),
    info: mergeFields("credential_info", present.info, info),
  };
}

const OF_A_MODEL = "is a parameter of models alone, which take no such value from a credential";

const unknown = (): GatewayError => new GatewayError("not_found", "There is no such credential.");

const usersOf = (stock: Stock, name: string): readonly string[] => [
  ...new Set(
    stock.deployments
      .filter(({ params }) => params.litellm_credential_name === name)
      .map(({ record }) => record.groupName),
  ),
];

const seen = (record: StoredCredential, values: Fields, info: Fields, usedBy: readonly string[]): SeenCredential => ({
  name: record.name,
  source: "database",
  provider: record.provider,
  values: masked(values),
  info: described(info),
  usedBy,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
});

const seenConfigured = (name: string, values: Fields, usedBy: readonly string[]): SeenCredential => ({
  name,
  source: "configuration",
  provider: null,
  values: masked(values),
  info: {},
  usedBy,
  createdAt: null,
  updatedAt: null,
});

const masked = (values: Fields): Fields =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isOpenParam(name) || isNothing(value) ? value : MASKED]),
  );

/** Models read it as not set: a mask would say that there is a key. */
const isNothing = (value: unknown): boolean => value === null || value === "";

/** Of the description only what has a known meaning: people write anything into it. */
const OPEN_INFO = new Set(["custom_llm_provider", "description", "provider"]);
const described = (info: Fields): Fields =>
  Object.fromEntries(Object.entries(info).map(([name, value]) => [name, OPEN_INFO.has(name) ? value : MASKED]));

const KNOWN: ReadonlySet<string> = new Set(PROVIDER_IDS);

/** Whose it is, where its description says so: `OpenAI` is meant as `openai`. */
function providerOf(info: Fields): string | null {
  const named = info.custom_llm_provider ?? info.provider;
  const id = typeof named === "string" ? named.toLowerCase().replaceAll(/[\s-]+/g, "_") : "";
  return KNOWN.has(id) ? id : null;
}

const noteOf = (action: string, name: string, details: object): ChangeNote => ({
  action,
  organizationId: null,
  targetType: "credential",
  targetId: name,
  details: { ...details },
});
