import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { PageNumbers } from "../contract/paging.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { seal, unseal } from "../lib/seal.ts";
import type { Person, TrainingAccess } from "./access.ts";
import type { Send } from "./coordinator/participant-client.ts";
import { PARTICIPANTS_MAX } from "./hosting/hosted-plan.ts";
import { addressOf, placeOf } from "./participant-address.ts";
import { probeParticipant } from "./probe.ts";
import type { TrainingParticipant } from "./records.ts";
import type { Paged, TrainingStores } from "./store.ts";

export interface ParticipantDeps {
  readonly stores: TrainingStores;
  readonly access: TrainingAccess;
  readonly clock: Clock;
  readonly sealingKey: Uint8Array;
  /** Throws for an address to which nothing may be sent. */
  readonly checkUrl: (url: string) => void;
  readonly send: Send;
}

export interface ParticipantFields {
  readonly url?: string | undefined;
  /** Null: it needs none. */
  readonly token?: string | null | undefined;
  readonly maxExamples?: number | null | undefined;
}

/** Who trains for an organization, and where. */
export class Participants {
  constructor(private readonly deps: ParticipantDeps) {}

  async list(caller: SessionCaller, named: string | null, page: PageNumbers): Promise<Paged<TrainingParticipant>> {
    const { id } = await this.deps.access(caller, named, "viewer");
    return this.deps.stores.participants.list(id, page);
  }

  async create(
    actor: Person,
    named: string | null,
    fields: ParticipantFields & { readonly name: string; readonly url: string },
  ): Promise<TrainingParticipant> {
    const { stores, access, clock } = this.deps;
    const { id: organizationId } = await access(actor.caller, named, "admin");
    const [id, now] = [newId(), clock.nowMs()];
    const participant: TrainingParticipant = {
      id,
      organizationId,
      name: fields.name,
      url: this.#address(fields.url),
      sealedToken: this.#sealed(id, fields.token ?? null),
      maxExamples: fields.maxExamples ?? null,
      probe: null,
      createdBy: actor.caller.userId,
      createdAt: now,
      updatedAt: now,
    };
    await stores.transaction(async (tx) => {
      await tx.participants.lock(organizationId);
      const others = await listAll(tx, organizationId);
      if (others.length >= PARTICIPANTS_MAX) {
        throw new GatewayError("conflict", `An organization has at most ${PARTICIPANTS_MAX} participants.`);
      }
      if (others.some(({ name }) => name === fields.name)) {
        throw new GatewayError("conflict", "Another participant has this name.", { param: "name" });
      }
      requireOwnAddress(others, participant);
      await tx.participants.insert(participant);
      await this.#note(tx, actor, "create", participant, { name: participant.name, url: participant.url });
    });
    return participant;
  }

  async get(caller: SessionCaller, id: string, wanted: "admin" | "viewer" = "viewer"): Promise<TrainingParticipant> {
    const participant = await this.deps.stores.participants.find(id);
    if (!participant) throw noParticipant();
    await this.deps.access(caller, participant.organizationId, wanted, noParticipant);
    return participant;
  }

  /** Runs that are under way hear of it when they are taken up the next time. */
  async update(actor: Person, id: string, fields: ParticipantFields): Promise<TrainingParticipant> {
    const { stores, clock } = this.deps;
    const { organizationId } = await this.get(actor.caller, id, "admin");
    const moved = fields.url === undefined ? null : this.#address(fields.url);
    return stores.transaction(async (tx) => {
      // What is not named stays as it is by now: another may have changed it meanwhile.
      await tx.participants.lock(organizationId);
      const participant = await tx.participants.find(id);
      if (!participant) throw noParticipant();
      const { maxExamples = participant.maxExamples, token } = fields;
      const url = moved ?? participant.url;
      requireToken(participant, url, token);
      // Those of before may share one; that must not keep them from changing something else.
      if (url !== participant.url) requireOwnAddress(await listAll(tx, organizationId), { id, url });
      const sealedToken = token === undefined ? participant.sealedToken : this.#sealed(id, token);
      const changes = { url, sealedToken, maxExamples, updatedAt: clock.nowMs() };
      await tx.participants.update(id, changes);
      const details = { url, token: token === undefined ? "kept" : token === null ? "removed" : "changed" };
      await this.#note(tx, actor, "update", participant, details);
      return { ...participant, ...changes };
    });
  }

  /** Not while a run is under way that names it. */
  async remove(actor: Person, id: string): Promise<void> {
    const { stores } = this.deps;
    const participant = await this.get(actor.caller, id, "admin");
    const { organizationId, name } = participant;
    await stores.transaction(async (tx) => {
      await tx.participants.lock(organizationId);
      const open = await tx.runs.listOpen(organizationId);
      const user = open.find(({ plan }) => plan.participants.some((one) => one.id === name));
      if (user) {
        throw new GatewayError("conflict", `The run "${user.name}" still asks ${name}; cancel it or let it end first.`);
      }
      await tx.participants.remove(id);
      await this.#note(tx, actor, "remove", participant, { name });
    });
  }

  async probe(actor: Person, id: string): Promise<TrainingParticipant> {
    const { stores, clock, send } = this.deps;
    const participant = await this.get(actor.caller, id, "admin");
    const found = await probeParticipant(send, participant.url, this.tokenOf(participant));
    const probe = { ...found, at: clock.nowMs() };
    await stores.transaction(async (tx) => {
      await tx.participants.update(id, { probe });
      await this.#note(tx, actor, "probe", participant, { ok: probe.ok });
    });
    return { ...participant, probe };
  }

  tokenOf({ id, sealedToken }: TrainingParticipant): string | null {
    return sealedToken === null ? null : unseal(this.deps.sealingKey, useOf(id), sealedToken);
  }

  #sealed(id: string, token: string | null): string | null {
    return token === null ? null : seal(this.deps.sealingKey, useOf(id), token);
  }

  #address(text: string): string {
    const url = /^https?:\/\/[^\s\p{Cc}]+$/u.test(text) && URL.canParse(text) ? new URL(text) : null;
    if (url === null || /[?#]/.test(url.href) || url.username !== "" || url.password !== "") {
      const words = "url: it must be an address that begins with https:// or http://, without a query or a password.";
      throw new GatewayError("invalid_request", words, { param: "url" });
    }
    this.deps.checkUrl(url.href);
    return addressOf(url.href);
  }

  #note(
    tx: TrainingStores,
    { caller, address }: Person,
    verb: string,
    { id, organizationId }: TrainingParticipant,
    details: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const target = { organizationId, targetType: "training_participant", targetId: id };
    const by = { userId: caller.userId, address };
    return tx.audit.note({ action: `training_participant.${verb}`, ...target, details, by }, this.deps.clock.nowMs());
  }
}

const listAll = async (tx: TrainingStores, organizationId: string): Promise<readonly TrainingParticipant[]> =>
  (await tx.participants.list(organizationId, { page: 1, pageSize: PARTICIPANTS_MAX })).rows;

/** Under two names its data would count twice, and a quorum of two would be one. */
function requireOwnAddress(
  registered: readonly TrainingParticipant[],
  { id, url }: Pick<TrainingParticipant, "id" | "url">,
): void {
  const place = placeOf(url);
  const other = registered.find((one) => one.id !== id && placeOf(one.url) === place);
  if (!other) return;
  const words = `The participant ${other.name} is registered at this address; it would count twice.`;
  throw new GatewayError("conflict", words, { param: "url" });
}

/** A token is sent nowhere but where it was given for. */
function requireToken(participant: TrainingParticipant, url: string, token: string | null | undefined): void {
  const isMoved = new URL(url).origin !== new URL(participant.url).origin;
  if (!isMoved || token !== undefined || participant.sealedToken === null) return;
  throw new GatewayError(
    "invalid_request",
    "token: send it along with another address, or null: the one that is kept was given for the old address.",
    { param: "token" },
  );
}

const useOf = (id: string): string => `training-participant:${id}`;
const noParticipant = (): GatewayError => new GatewayError("not_found", "There is no such participant.");
