import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { activeOrganization, requireTeam } from "./access.ts";
import { type ChangeNote, change } from "./change.ts";
import { handleOf, lastFour, looksLikeKey, newKey } from "./key-format.ts";
import { newKeyRecord } from "./key-record.ts";
import type { KeyVerifier } from "./key-verifier.ts";
import { type KeyAccess, requireKey, requireKeyChange, requireKeyMaker } from "./keys-access.ts";
import { auditDetails, differing } from "./keys-audit.ts";
import { type KeyQuery, type KeyStatus, listKeys, statusOf } from "./keys-list.ts";
import { type KeySettings, readSettings } from "./keys-settings.ts";
import { lockOrganization, type PersonActor } from "./organizations.ts";
import type { ApiKey } from "./records.ts";
import type { AccountStores, KeyWithTeam, Page, Paged } from "./store.ts";

export interface KeyDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  readonly verifier: Pick<KeyVerifier, "hash" | "forget" | "verifyStored">;
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
  readonly actor: PersonActor;
  /** The id, the handle or the whole value. */
  readonly reference: string;
}

interface ListInput {
  readonly caller: SessionCaller;
  /** Null: the organization that the session works in. */
  readonly named: string | null;
  readonly teamId: string | null;
  readonly query: KeyQuery;
  readonly page: Page;
}

interface CreateInput {
  readonly actor: PersonActor;
  readonly teamId: string;
  readonly name: string;
  readonly settings: KeySettings;
}

const KEYS_MAX = 200;

/** The keys of teams. What changes here is forgotten by the verifier at once, so that it holds for the very next call. */
export class Keys {
  constructor(private readonly deps: KeyDeps) {}

  /** Of one team, or of all teams of the organization that the caller may see. */
  async list({ caller, named, teamId, query, page }: ListInput): Promise<Paged<SeenKey>> {
    const { stores, clock } = this.deps;
    const { organizationId, teamIds } = await this.visibleTeams(caller, named, teamId);
    const { rows, total } = await listKeys(stores.keys, teamIds, query, page, clock.nowMs());
    return { rows: rows.map((key) => this.see(key, organizationId)), total };
  }

  async get({ caller, reference }: { caller: SessionCaller; reference: string }): Promise<SeenKey> {
    const { key, team } = await this.require(this.deps.stores, caller, reference);
    return this.see(key, team.organizationId);
  }

  async create({ actor, teamId, name, settings }: CreateInput): Promise<FreshKey> {
    const { stores, clock, verifier } = this.deps;
    const { team } = await this.requireMaker(stores, actor.caller, teamId);
    const secret = newKey();
    const key = await change(
      stores,
      clock,
      actor,
      async (tx) => {
        const now = clock.nowMs();
        await lockOrganization(tx, team.organizationId, now);
        const access = await this.requireMaker(tx, actor.caller, teamId);
        await requireRoom(tx, team.organizationId);
        const createdBy = actor.caller.userId;
        const blank = newKeyRecord({ key: secret, hash: verifier.hash(secret), teamId, name, createdBy, now });
        const made = { ...blank, ...readSettings({ ...settings, name }, blank, access.team, now) };
        await tx.keys.insert(made);
        return made;
      },
      (made) => noteOf("api_key.create", made, team.organizationId, { name: made.name, teamId }),
    );
    return { ...this.see(key, team.organizationId), secret };
  }

  update({ actor, reference, settings }: KeyInput & { settings: KeySettings }): Promise<SeenKey> {
    return this.change("api_key.update", { actor, reference }, ({ key, team }, now) =>
      readSettings(settings, key, team, now),
    );
  }

  /** The value before goes on for the time of grace; one that was still in its grace ends now. */
  async rotate({ actor, reference, graceSeconds }: KeyInput & { graceSeconds: number }): Promise<FreshKey> {
    const secret = newKey();
    const seen = await this.change("api_key.rotate", { actor, reference }, ({ key }, now) => ({
      ...this.valueOf(secret),
      previousHash: graceSeconds > 0 ? key.hash : null,
      previousUntil: graceSeconds > 0 ? now + graceSeconds * 1000 : null,
    }));
    return { ...seen, secret };
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
    plan: (access: KeyAccess, now: number) => Partial<ApiKey>,
  ): Promise<SeenKey> {
    const { after, organizationId } = await this.changeLocked(
      input,
      async (tx, access, now) => {
        const changes = differing(access.key, plan(access, now));
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
          const access = await this.require(tx, actor.caller, seen.key.id);
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
  async asCaller({ caller, reference, address }: { caller: SessionCaller; reference: string; address: string | null }) {
    const access = await this.require(this.deps.stores, caller, reference);
    requireKeyMaker(access);
    return this.deps.verifier.verifyStored(access.key.hash, () => address);
  }

  private async require(stores: AccountStores, caller: SessionCaller, reference: string): Promise<KeyAccess> {
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

  private async requireMaker(stores: AccountStores, caller: SessionCaller, teamId: string) {
    const access = await requireTeam(stores, caller, teamId);
    requireKeyMaker(access);
    return access;
  }

  private async visibleTeams(caller: SessionCaller, named: string | null, teamId: string | null) {
    const { stores } = this.deps;
    if (teamId !== null) {
      const { team } = await requireTeam(stores, caller, teamId);
      return { organizationId: team.organizationId, teamIds: [team.id] };
    }
    const { organization, role } = await activeOrganization(stores, caller, named, "viewer");
    const teamIds =
      role === "member"
        ? (await stores.teamMembers.listTeamsOf(organization.id, caller.userId)).map((member) => member.teamId)
        : (await stores.teams.list(organization.id)).map(({ team }) => team.id);
    return { organizationId: organization.id, teamIds };
  }

  private see(key: ApiKey, organizationId: string): SeenKey {
    return { key, organizationId, status: statusOf(key, this.deps.clock.nowMs()) };
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

const noteOf = (
  action: string,
  key: ApiKey,
  organizationId: string,
  details: Readonly<Record<string, unknown>>,
): ChangeNote => ({ action, organizationId, targetType: "api_key", targetId: key.id, details });
