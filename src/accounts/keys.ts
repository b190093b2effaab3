import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { unseal } from "../lib/seal.ts";
import { activeOrganization, isTeamAdmin, requireTeam } from "./access.ts";
import type { Authority } from "./authority.ts";
import { type ActorWithRights, type ChangeNote, change } from "./change.ts";
import { requireMayTakeOff } from "./guardrail-names.ts";
import { handleOf, lastFour, looksLikeKey, newKey } from "./key-format.ts";
import { type OwnerReference, ownerOf, readSecret } from "./key-owner.ts";
import { newKeyRecord, numbered } from "./key-record.ts";
import { afterRotation, sealedUse, valueInUse } from "./key-rotation.ts";
import type { KeyVerifier } from "./key-verifier.ts";
import { type KeyAccess, requireKey, requireKeyChange, requireKeyMaker, requireKeyUser } from "./keys-access.ts";
import { auditDetails, differing } from "./keys-audit.ts";
import { type KeyQuery, type KeyStatus, listKeys, statusOf } from "./keys-list.ts";
import { type KeySettings, type KnownNames, readSettings } from "./keys-settings.ts";
import { findShared } from "./limit-settings.ts";
import { lockOrganization } from "./lock-organization.ts";
import type { UserSearch } from "./people/unknown-users.ts";
import type { ApiKey } from "./records.ts";
import type { AccountStores, KeyFilter, KeyOrder, KeyWithTeam, Page, Paged } from "./store.ts";
import { visibleTeams, visibleTeamsOf } from "./visible-teams.ts";
import { type ResetPlan, waiveSpend } from "./waive-spend.ts";

export interface KeyDeps extends KnownNames {
  readonly stores: AccountStores;
  readonly clock: Clock;
  readonly verifier: Pick<KeyVerifier, "hash" | "isMaster" | "forget" | "verifyStored" | "lastUsedAt">;
  readonly sealingKey: Uint8Array;
  /** `general_settings.create_unknown_users` as it is now. */
  readonly createsUnknownUsers: () => boolean;
}

/** A key as the people of its team see it. */
export interface SeenKey {
  readonly key: ApiKey;
  readonly organizationId: string;
  readonly status: KeyStatus;
}

/** A key with its value, which nobody can be shown again. */
export interface FreshKey extends SeenKey {
  readonly secret: string;
}

interface KeyInput {
  readonly actor: ActorWithRights;
  /** The id, the handle or the whole value. */
  readonly reference: string;
}

interface ListInput {
  readonly caller: Authority;
  /** Null: the organization that the session works in. */
  readonly named: string | null;
  readonly teamId: string | null;
  readonly query: KeyQuery;
  readonly page: Page;
}

interface SearchInput {
  readonly caller: Authority;
  readonly filter: Omit<KeyFilter, "teamIds"> & { readonly teamId?: string; readonly organizationId?: string };
  readonly page: Page;
  readonly order?: KeyOrder;
}

interface CreateInput {
  readonly actor: ActorWithRights;
  readonly teamId: string;
  readonly name: string;
  readonly settings: KeySettings;
  /** A value that the operator brings along; a new one unless told. */
  readonly value?: string | null | undefined;
  /** The user whose key it is (default: the caller); null for none. */
  readonly owner?: OwnerReference;
  readonly disabled?: boolean | undefined;
  /** A name that another key of the team has is given a number, in place of a refusal. */
  readonly isNumbered?: boolean | undefined;
  /** What has to happen together with it, or not at all. */
  readonly first?: ((tx: AccountStores) => Promise<void>) | undefined;
  /** More for its line in the audit log. */
  readonly noted?: Readonly<Record<string, unknown>> | undefined;
}

interface UpdateInput extends KeyInput {
  readonly settings: KeySettings;
  readonly owner?: OwnerReference;
}

interface ResetInput extends KeyInput, ResetPlan<SeenKey> {}

interface RotateInput extends KeyInput {
  readonly graceSeconds: number;
  readonly value?: string | null | undefined;
  /** What changes with the value. */
  readonly settings?: KeySettings | undefined;
}

const KEYS_MAX = 200;
const NOTHING_TO_PICK_UP =
  "No value of this key waits to be picked up: it was picked up already, or none was made since. Rotating gives a new one.";

/** The keys of teams. What changes here is forgotten by the verifier at once, so that it holds for the very next call. */
export class Keys {
  constructor(private readonly deps: KeyDeps) {}

  /** Of one team, or of all teams of the organization that the caller may see. */
  async list({ caller, named, teamId, query, page }: ListInput): Promise<Paged<SeenKey>> {
    const { stores, clock } = this.deps;
    const { organizationId, teamIds } = await this.listedTeams(caller, named, teamId);
    const { rows, total } = await listKeys(stores.keys, teamIds, query, page, clock.nowMs());
    return { rows: rows.map((key) => this.see(key, organizationId)), total };
  }

  /** Of every organization that the caller may see; the operator sees all keys. */
  async search({ caller, filter, page, order }: SearchInput): Promise<Paged<SeenKey>> {
    const { stores } = this.deps;
    const { teamId, organizationId, ...rest } = filter;
    const teamIds = await visibleTeams(stores, caller, { teamId, organizationId });
    const { rows, total } = await stores.keys.list({ ...rest, teamIds }, page, order);
    const organizations = new Map<string, string>();
    for (const id of new Set(rows.map((key) => key.teamId))) {
      organizations.set(id, (await stores.teams.find(id))?.organizationId ?? "");
    }
    return { rows: rows.map((key) => this.see(key, organizations.get(key.teamId) ?? "")), total };
  }

  async get({ caller, reference }: { caller: Authority; reference: string }): Promise<SeenKey> {
    const { key, team } = await this.require(this.deps.stores, caller, reference);
    return this.see(key, team.organizationId);
  }

  async create(input: CreateInput): Promise<FreshKey> {
    const { actor, teamId, settings, value, owner, disabled } = input;
    const { stores, clock, verifier } = this.deps;
    const { team } = await this.requireMaker(stores, actor.caller, teamId);
    const secret = value == null ? newKey() : readSecret(value, actor.caller, verifier);
    const key = await change(
      stores,
      clock,
      actor,
      async (tx) => {
        const now = clock.nowMs();
        await input.first?.(tx);
        await lockOrganization(tx, team.organizationId, now);
        const access = await this.requireMaker(tx, actor.caller, teamId);
        const name = input.isNumbered ? await numbered(tx, teamId, input.name) : input.name;
        const createdBy = await ownerOf(tx, this.userSearch(actor, now), access, owner);
        const blank = newKeyRecord({ key: secret, hash: verifier.hash(secret), teamId, name, createdBy, now });
        const shared = await findShared(tx, actor.caller, settings);
        const set = readSettings({ ...settings, name }, blank, access.team, shared, now, this.deps);
        const made: ApiKey = { ...blank, ...set, status: disabled ? "disabled" : "active" };
        await requireFree(tx, made);
        await requireFreeName(tx, made);
        if (actor.caller.kind !== "operator") await requireRoom(tx, team.organizationId);
        await tx.keys.insert(made);
        return made;
      },
      (made) => noteOf("api_key.create", made, team.organizationId, { name: made.name, teamId, ...input.noted }),
    );
    return { ...this.see(key, team.organizationId), secret };
  }

  /** Throws what making such a key would, and makes none: for a key that is made later. */
  async rehearse({ actor, teamId, name, settings }: Pick<CreateInput, "actor" | "teamId" | "name" | "settings">) {
    const { stores, clock } = this.deps;
    const { team } = await this.requireMaker(stores, actor.caller, teamId);
    const now = clock.nowMs();
    const blank = newKeyRecord({ key: "", hash: "", teamId, name, createdBy: null, now });
    const set = readSettings({ ...settings, name }, blank, team, undefined, now, this.deps);
    await requireRoom(stores, team.organizationId);
    return { team, key: { ...blank, ...set } };
  }

  update({ actor, reference, settings, owner }: UpdateInput): Promise<SeenKey> {
    return this.change("api_key.update", { actor, reference }, async (access, now, tx) => {
      const shared = await findShared(tx, actor.caller, settings, access.key.budgetId);
      const owned =
        owner === undefined ? {} : { createdBy: await ownerOf(tx, this.userSearch(actor, now), access, owner) };
      const set = readSettings(settings, access.key, access.team, shared, now, this.deps);
      requireMayTakeOff(access.key.guardrails, set.guardrails ?? access.key.guardrails, isTeamAdmin(access));
      return { ...set, ...owned };
    });
  }

  /** From now on the key has spent so much, and its budget counts on from there. What the books have stays as it is. */
  async resetSpend({ actor, reference, to, spendingOf }: ResetInput): Promise<SeenKey> {
    const { key, team } = await this.require(this.deps.stores, actor.caller, reference);
    // Asked while nothing is held: ten changes that each wait for a second connection would have them all, and wait for ever.
    const spent = await spendingOf(this.see(key, team.organizationId));
    return this.change("api_key.reset_spend", { actor, reference }, () => waiveSpend(key, spent, to));
  }

  /** The value before goes on for the time of grace; one that was still in its grace ends now. */
  async rotate({ actor, reference, graceSeconds, value, settings }: RotateInput): Promise<FreshKey> {
    const secret = value == null ? newKey() : readSecret(value, actor.caller, this.deps.verifier);
    const seen = await this.change("api_key.rotate", { actor, reference }, async (access, now, tx) => {
      const { key, team } = access;
      const shared = await findShared(tx, actor.caller, settings ?? {}, key.budgetId);
      const set = readSettings(settings ?? {}, key, team, shared, now, this.deps);
      requireMayTakeOff(key.guardrails, set.guardrails ?? key.guardrails, isTeamAdmin(access));
      const next = this.valueOf(secret);
      if (next.hash !== key.hash) await requireFree(tx, next);
      await tx.keys.takeUnseen(key.id);
      const previousHash = graceSeconds > 0 ? valueInUse(key, now) : null;
      return {
        ...set,
        ...next,
        previousHash,
        previousUntil: previousHash === null ? null : now + graceSeconds * 1000,
        unseenAt: null,
        ...afterRotation({ ...key, ...set }, now),
      };
    });
    return { ...seen, secret };
  }

  /** The value that a scheduled rotation has made, this once. Who may rotate the key may have it. */
  async pickUp(input: KeyInput): Promise<FreshKey> {
    const { after, secret, organizationId } = await this.changeLocked(
      input,
      async (tx, { key, team }, now) => {
        const sealed = await tx.keys.takeUnseen(key.id);
        if (sealed === null) throw new GatewayError("conflict", NOTHING_TO_PICK_UP);
        const changes = { unseenAt: null, updatedAt: now };
        await tx.keys.update(key.id, changes);
        const secret = unseal(this.deps.sealingKey, sealedUse(key), sealed);
        return { after: { ...key, ...changes }, secret, organizationId: team.organizationId };
      },
      ({ after }, organizationId) =>
        noteOf("api_key.pick_up", after, organizationId, { name: after.name, last4: after.last4 }),
    );
    return { ...this.see(after, organizationId), secret };
  }

  disable(input: KeyInput): Promise<SeenKey> {
    return this.change("api_key.disable", input, () => ({ status: "disabled" }));
  }

  enable(input: KeyInput): Promise<SeenKey> {
    return this.change("api_key.enable", input, () => ({ status: "active" }));
  }

  async remove(input: KeyInput): Promise<void> {
    await this.changeLocked(
      input,
      async (tx, { key }) => {
        await tx.keys.remove(key.id);
        return key;
      },
      (key, organizationId) =>
        noteOf("api_key.remove", key, organizationId, { name: key.name, teamId: key.teamId, last4: key.last4 }),
    );
  }

  /** What is the same afterwards is neither written nor noted. */
  private async change(
    action: string,
    input: KeyInput,
    plan: (access: KeyAccess, now: number, tx: AccountStores) => Partial<ApiKey> | Promise<Partial<ApiKey>>,
  ): Promise<SeenKey> {
    const { after, organizationId } = await this.changeLocked(
      input,
      async (tx, access, now) => {
        const changes = differing(access.key, await plan(access, now, tx));
        if (changes.name !== undefined) await requireFreeName(tx, { ...access.key, name: changes.name });
        const isSame = Object.keys(changes).length === 0;
        const after = isSame ? access.key : { ...access.key, ...changes, updatedAt: now };
        if (!isSame) await tx.keys.update(access.key.id, { ...changes, updatedAt: now });
        return { before: access.key, changes, after, organizationId: access.team.organizationId };
      },
      ({ before, changes, after }, organizationId) =>
        after === before ? null : noteOf(action, after, organizationId, auditDetails(before, changes)),
    );
    return this.see(after, organizationId);
  }

  /**
   * Asked before, so that strangers lock nothing, and again under the organization's lock. The verifier forgets the key even
   * if the database failed: the change may have been made all the same.
   */
  private async changeLocked<T>(
    { actor, reference }: KeyInput,
    work: (tx: AccountStores, access: KeyAccess, now: number) => Promise<T>,
    note: (result: T, organizationId: string) => ChangeNote | null,
  ): Promise<T> {
    const { stores, clock, verifier } = this.deps;
    const seen = await this.require(stores, actor.caller, reference);
    requireKeyChange(seen, actor.caller);
    const { organizationId } = seen.team;
    let { key } = seen;
    try {
      return await change(
        stores,
        clock,
        actor,
        async (tx) => {
          const now = clock.nowMs();
          await lockOrganization(tx, organizationId, now);
          // By what it was named: a value or handle that was rotated away in the meantime names it no more.
          const access = await this.require(tx, actor.caller, reference);
          requireKeyChange(access, actor.caller);
          key = access.key;
          return work(tx, access, now);
        },
        (result) => note(result, organizationId),
      );
    } finally {
      verifier.forget(key);
    }
  }

  /** The key as a caller of models: for a person who uses one of their keys without sending it. Viewers spend nothing. */
  async asCaller({ caller, reference, address }: { caller: Authority; reference: string; address: string | null }) {
    const access = await this.require(this.deps.stores, caller, reference);
    requireKeyUser(access, caller, reference);
    return this.deps.verifier.verifyStored(access.key.hash, { remoteAddress: address });
  }

  /** By its id, its handle or its value, whoever it belongs to: what may be told of it is for the caller to see to. */
  locate(reference: string): Promise<KeyWithTeam | null> {
    return this.find(this.deps.stores, reference);
  }

  private async require(stores: AccountStores, caller: Authority, reference: string): Promise<KeyAccess> {
    return requireKey(stores, caller, await this.find(stores, reference));
  }

  /** A value from before a rotation names its key for as long as it opens it. */
  private async find(stores: AccountStores, reference: string): Promise<KeyWithTeam | null> {
    if (!looksLikeKey(reference)) return stores.keys.find(reference);
    const hash = this.deps.verifier.hash(reference);
    const found = await stores.keys.findByHash(hash);
    const isPresent = found?.key.hash === hash || (found?.key.previousUntil ?? 0) > this.deps.clock.nowMs();
    return isPresent ? found : null;
  }

  private async requireMaker(stores: AccountStores, caller: Authority, teamId: string) {
    const access = await requireTeam(stores, caller, teamId);
    requireKeyMaker(access);
    return access;
  }

  private userSearch(actor: ActorWithRights, now: number): UserSearch {
    return { actor, now, createsUnknown: this.deps.createsUnknownUsers() };
  }

  private async listedTeams(caller: Authority, named: string | null, teamId: string | null) {
    const { stores } = this.deps;
    if (teamId !== null) {
      const { team } = await requireTeam(stores, caller, teamId);
      return { organizationId: team.organizationId, teamIds: [team.id] };
    }
    const access = await activeOrganization(stores, caller, named, "viewer");
    return { organizationId: access.organization.id, teamIds: await visibleTeamsOf(stores, caller, access) };
  }

  private see(key: ApiKey, organizationId: string): SeenKey {
    const lastUsedAt = this.deps.verifier.lastUsedAt(key);
    return { key: { ...key, lastUsedAt }, organizationId, status: statusOf(key, this.deps.clock.nowMs()) };
  }

  private valueOf(secret: string): Pick<ApiKey, "hash" | "handle" | "last4"> {
    return { hash: this.deps.verifier.hash(secret), handle: handleOf(secret), last4: lastFour(secret) };
  }
}

async function requireRoom(tx: AccountStores, organizationId: string): Promise<void> {
  const teams = await tx.teams.list(organizationId);
  if (teams.reduce((sum, { keysCount }) => sum + keysCount, 0) < KEYS_MAX) return;
  throw new GatewayError(
    "invalid_request",
    `An organization has at most ${KEYS_MAX} keys; remove those that are no longer used.`,
  );
}

/** Only a value that somebody brought along can be another key's. */
async function requireFree(tx: AccountStores, { hash, handle }: Pick<ApiKey, "hash" | "handle">): Promise<void> {
  if (!(await tx.keys.findByHash(hash)) && !(await tx.keys.find(handle))) return;
  throw new GatewayError("conflict", "key: it is another key's value already.", { param: "key" });
}

/** Asked under the organization's lock, so that two at once cannot both find it free. */
async function requireFreeName(tx: AccountStores, { teamId, name }: Pick<ApiKey, "teamId" | "name">): Promise<void> {
  const { total } = await tx.keys.list({ teamIds: [teamId], name }, { page: 1, pageSize: 1 });
  if (total === 0) return;
  throw new GatewayError("conflict", "name: another key of the team has this name.", { param: "name" });
}

const noteOf = (
  action: string,
  key: ApiKey,
  organizationId: string,
  details: Readonly<Record<string, unknown>>,
): ChangeNote => ({ action, organizationId, targetType: "api_key", targetId: key.id, details });
