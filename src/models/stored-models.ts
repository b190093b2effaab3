import { type Actor, type ChangeNote, change } from "../accounts/change.ts";
import type { StoredDeployment } from "../accounts/model-records.ts";
import type { AccountStores } from "../accounts/store.ts";
import { readEntry } from "../config/read-entry.ts";
import type { Deployment } from "../contract/deployment.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { type Entry, type EntryChanges, entryFault, mergeEntry, refuseMasks } from "./entry.ts";
import { allCredentials, inWords, type Runtime, unservedWarning } from "./read-stock.ts";
import { openDeployment, sealDeployment } from "./sealing.ts";
import { type SeenModel, seeModels, seenConfigured, seenRecord } from "./seen-model.ts";
import { type ModelStock, noteModelChange, type Stock } from "./stock.ts";

export interface StoredModelDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  readonly sealingKey: Uint8Array;
  readonly stock: Pick<ModelStock, "refresh">;
  /** What is loaded of the stock, and what it has to go with: both as they are now. */
  readonly present: () => { readonly stock: Stock; readonly surroundings: Runtime };
}

export interface ChangedModel {
  readonly model: SeenModel;
  readonly warnings: readonly string[];
}

const MODELS_MAX = 5_000;

/** Models that operators keep in the database. They are read by the rules of the configuration file, and join what it has. */
export class StoredModels {
  /** `remarksOn`: what else is to be said of a model that can be called now, such as that it has no price. */
  constructor(
    private readonly deps: StoredModelDeps,
    private readonly remarksOn: (deployment: Deployment) => Promise<readonly string[]>,
  ) {}

  list(): readonly SeenModel[] {
    const { stock, surroundings } = this.deps.present();
    return seeModels(stock, surroundings);
  }

  get(id: string): SeenModel {
    const found = this.list().find((model) => model.id === id);
    if (!found) throw unknown();
    return found;
  }

  /** How a model would be read, without keeping it. */
  preview(entry: Entry): Deployment {
    return this.read(entry).deployment;
  }

  async create(actor: Actor, entry: Entry): Promise<ChangedModel> {
    this.requireStoring();
    const { stores, clock, sealingKey } = this.deps;
    refuseMasks("litellm_params", entry.params);
    refuseMasks("model_info", entry.info);
    const { deployment, warnings } = this.read(entry);
    const id = typeof entry.info.id === "string" ? entry.info.id : newId();
    const record = await change(
      stores,
      clock,
      actor,
      async (tx) => {
        await noteModelChange(tx);
        await this.requireFree(tx, id);
        await this.requireCredential(tx, entry);
        const now = clock.nowMs();
        const made: StoredDeployment = {
          id,
          groupName: deployment.group,
          provider: deployment.provider,
          ...sealDeployment(sealingKey, id, entry),
          status: "enabled",
          createdBy: actor.caller?.kind === "session" ? actor.caller.userId : null,
          createdAt: now,
          updatedAt: now,
        };
        await tx.deployments.insert(made);
        return made;
      },
      (made) =>
        noteOf("model.create", made, {
          group: made.groupName,
          ...whatItIs(deployment),
          fields: Object.keys(entry.params),
        }),
    );
    return this.told(record, warnings);
  }

  /** What is left out stays, null takes a field away, and a mask leaves the secret behind it as it is. */
  async update(
    actor: Actor,
    id: string,
    changes: EntryChanges,
    status?: StoredDeployment["status"],
  ): Promise<ChangedModel> {
    const { sealingKey } = this.deps;
    let warnings: readonly string[] = [];
    const record = await this.change(actor, id, "model.update", async (tx, present) => {
      const entry = mergeEntry(present.groupName, openDeployment(sealingKey, present), changes);
      const read = this.read(entry);
      warnings = read.warnings;
      await this.requireCredential(tx, entry);
      const { group, provider } = read.deployment;
      return {
        fields: {
          groupName: group,
          provider,
          ...sealDeployment(sealingKey, id, entry),
          ...(status === undefined ? {} : { status }),
        },
        details: {
          ...whatItIs(read.deployment),
          fields: Object.keys({ ...changes.params, ...changes.info }),
          ...(status === undefined ? {} : { status }),
        },
      };
    });
    return this.told(record, warnings);
  }

  async setStatus(actor: Actor, id: string, status: StoredDeployment["status"]): Promise<ChangedModel> {
    const action = status === "enabled" ? "model.enable" : "model.disable";
    const record = await this.change(actor, id, action, async () => ({ fields: { status }, details: {} }));
    return this.told(record, []);
  }

  async remove(actor: Actor, id: string): Promise<void> {
    this.requireStoring();
    const { stores, clock, stock } = this.deps;
    await change(
      stores,
      clock,
      actor,
      async (tx) => {
        await noteModelChange(tx);
        const present = await this.requireStored(tx, id);
        await tx.deployments.remove(id);
        await tx.deploymentSwitches.remove(id);
        return present;
      },
      (gone) => noteOf("model.remove", gone, { group: gone.groupName, provider: gone.provider }),
    );
    await stock.refresh();
  }

  private change(
    actor: Actor,
    id: string,
    action: string,
    plan: (
      tx: AccountStores,
      present: StoredDeployment,
    ) => Promise<{ fields: Partial<StoredDeployment>; details: object }>,
  ): Promise<StoredDeployment> {
    this.requireStoring();
    const { stores, clock } = this.deps;
    return change(
      stores,
      clock,
      actor,
      async (tx) => {
        await noteModelChange(tx);
        const present = await this.requireStored(tx, id);
        const { fields, details } = await plan(tx, present);
        const after = { ...present, ...fields, updatedAt: clock.nowMs() };
        await tx.deployments.update(id, { ...fields, updatedAt: after.updatedAt });
        return { after, details };
      },
      ({ after, details }) => noteOf(action, after, { group: after.groupName, ...details }),
    ).then(({ after }) => after);
  }

  /** Every fault at once, in the words that the configuration file would have been told in. */
  private read(entry: Entry): { deployment: Deployment; warnings: readonly string[] } {
    const { stock, surroundings } = this.deps.present();
    const credentials = allCredentials(stock, surroundings);
    const { value, faults, warnings } = readEntry(entry, { variable: surroundings.variable, credentials });
    if (value === null) throw entryFault(faults);
    return { deployment: value, warnings: [...warnings.map(inWords), ...unservedWarning(value)] };
  }

  private requireStoring(): void {
    requireStoring(this.deps.present().surroundings);
  }

  private async requireFree(tx: AccountStores, id: string): Promise<void> {
    const isConfigured = this.deps.present().surroundings.configured.some((other) => other.id === id);
    if (isConfigured || (await tx.deployments.find(id))) {
      throw new GatewayError("conflict", "Another model has this id.", { param: "id" });
    }
    if ((await tx.deployments.list()).length >= MODELS_MAX) {
      throw new GatewayError("conflict", `At most ${MODELS_MAX} models are kept here.`);
    }
  }

  /** Again within the transaction: the credential may have been removed since it was looked up. */
  private async requireCredential(tx: AccountStores, { params }: Entry): Promise<void> {
    const name = params.litellm_credential_name;
    if (typeof name !== "string" || Object.hasOwn(this.deps.present().surroundings.credentials, name)) return;
    if (await tx.credentials.find(name)) return;
    throw new GatewayError("conflict", "The credential of this model was removed in the meantime.");
  }

  private async requireStored(tx: AccountStores, id: string): Promise<StoredDeployment> {
    const present = await tx.deployments.find(id);
    if (present) return present;
    const configured = this.deps.present().surroundings.configured.find((other) => other.id === id);
    if (!configured) throw unknown();
    const isBuiltIn = seenConfigured(configured).source === "built-in";
    const where = isBuiltIn ? "it is built in; `demo: false` in the configuration file leaves it out" : IN_FILE;
    throw new GatewayError("conflict", `This model cannot be changed here: ${where}.`);
  }

  private async told(record: StoredDeployment, warnings: readonly string[]): Promise<ChangedModel> {
    await this.deps.stock.refresh();
    const known = this.list().find(({ id, source }) => id === record.id && source === "database");
    const model = known ?? { ...seenRecord(record), deployment: null, faults: [] };
    const { deployment } = model;
    const remarks = deployment && model.status === "enabled" ? await this.remarksOn(deployment) : [];
    return { model, warnings: [...warnings, ...remarks] };
  }
}

const IN_FILE = "it is in the configuration file";

export const STORING_IS_OFF =
  "Models are kept in the configuration file alone: `general_settings.store_model_in_db` is false.";

export function requireStoring({ storeModels }: Runtime): void {
  if (!storeModels) throw new GatewayError("invalid_request", STORING_IS_OFF);
}

const unknown = (): GatewayError => new GatewayError("not_found", "There is no such model.");

const whatItIs = ({ provider, upstreamModel }: Deployment) => ({ provider, upstreamModel });

export const noteOf = (action: string, { id }: StoredDeployment, details: object): ChangeNote => ({
  action,
  organizationId: null,
  targetType: "model",
  targetId: id,
  details: { ...details },
});
