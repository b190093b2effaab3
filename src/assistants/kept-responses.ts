import type { Owner } from "../contract/cursor.ts";
import { GatewayError } from "../contract/errors.ts";
import type { StorageGate } from "../contract/files/storage-gate.ts";
import { requireFound } from "../contract/require-found.ts";
import type { ResponseAnswer, ResponseItem } from "../contract/responses.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { isUnfinished } from "./background-states.ts";
import type { KeptResponse, KeptResponseStore } from "./kept-response-store.ts";
import { nameItems } from "./name-items.ts";
import { inputItemId, isResponseId, responseOf } from "./response-ids.ts";

const KEPT_MS = 30 * 86_400_000;
/** Longer ones, of many pictures, are not kept: they would fill the database. */
const KEPT_CHARS_MAX = 8 * 1024 * 1024;
const CHAIN_MAX = 1_000;
/** Of a whole conversation, which is read into memory: about what a request may have. */
const CHAIN_CHARS_MAX = 32 * 1024 * 1024;

export interface KeptDeps {
  readonly store: KeptResponseStore;
  readonly storage: StorageGate;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Answers that are kept for later calls, of the team of who asks. */
export class KeptResponses {
  constructor(private readonly deps: KeptDeps) {}

  async get(owner: Owner, id: string): Promise<KeptResponse> {
    const { store, clock } = this.deps;
    return requireFound(await store.find(owner, id, clock.nowMs()), "response", id);
  }

  async remove(owner: Owner, id: string): Promise<void> {
    await this.get(owner, id);
    requireFound((await this.deps.store.remove(owner, id)) || null, "response", id);
  }

  /** A response and all that it goes on from, the first one first. */
  async chain(owner: Owner, id: string): Promise<KeptResponse[]> {
    const { store, clock } = this.deps;
    const chain = isResponseId(id) ? await store.chain(owner, id, clock.nowMs(), CHAIN_MAX) : [];
    const [first] = chain;
    if (!first) throw gone(id);
    if (chain.length >= CHAIN_MAX && first.previousId !== null) {
      throw new GatewayError("invalid_request", `More than ${CHAIN_MAX} responses go on from one another.`);
    }
    if (first.previousId !== null) throw gone(first.previousId);
    if (chain.reduce((sum, { chars }) => sum + Number(chars), 0) > CHAIN_CHARS_MAX) {
      throw tooLong();
    }
    const found = new Map((await store.findAll(chain.map((link) => link.id))).map((kept) => [kept.id, kept]));
    return chain.map((link) => {
      const kept = found.get(link.id);
      if (!kept) throw gone(link.id);
      if (isUnfinished(kept.answer)) throw unfinished(kept.answer);
      return kept;
    });
  }

  /**
   * The same items, with what they refer to in place of the references. A few characters refer to megabytes, so what is read
   * and what is put in count together.
   */
  async resolved(owner: Owner, items: readonly ResponseItem[]): Promise<readonly ResponseItem[]> {
    if (!items.some(({ type }) => type === "item_reference")) return items;
    const read = new Map<string, readonly ResponseItem[]>();
    const found: ResponseItem[] = [];
    let chars = 0;
    const count = (value: unknown): void => {
      chars += JSON.stringify(value).length;
      if (chars > CHAIN_CHARS_MAX) throw tooLong();
    };
    for (const item of items) {
      if (item.type !== "item_reference") {
        found.push(item);
        continue;
      }
      const id = (typeof item.id === "string" && responseOf(item.id)) || "";
      const known = read.get(id);
      const all = known ?? (await this.itemsOf(owner, id));
      if (!known) count(all);
      read.set(id, all);
      const one = requireFound(all.find((other) => other.id === item.id) ?? null, "item", String(item.id));
      count(one);
      found.push(one);
    }
    return found;
  }

  /** Stores a response. If that fails, returns it with `store: false`: it is paid for, so the client gets it. */
  async keep(
    owner: Owner,
    previousId: string | null,
    input: readonly ResponseItem[],
    answer: ResponseAnswer,
  ): Promise<ResponseAnswer> {
    if (!answer.store) return answer;
    const { store, storage, log } = this.deps;
    const record = this.recordOf(owner, previousId, input, answer);
    if (!record) return { ...answer, store: false };
    try {
      await storage.admit(owner, sizeOf(record), "text");
      await store.insert(record);
      return answer;
    } catch (err) {
      if (err instanceof GatewayError && err.kind === "storage_quota") return { ...answer, store: false };
      log.warn({ err, responseId: answer.id }, "a response could not be kept");
      return { ...answer, store: false };
    }
  }

  /** Throws if a response cannot be stored. */
  admit(owner: Owner, record: KeptResponse): Promise<void> {
    return this.deps.storage.admit(owner, sizeOf(record), "text");
  }

  /** An answer as it is kept; null where it is too long for that. */
  recordOf(
    { teamId }: Owner,
    previousId: string | null,
    input: readonly ResponseItem[],
    answer: ResponseAnswer,
  ): KeptResponse | null {
    const { id } = answer;
    const named = nameItems(input, (prefix, at) => inputItemId(prefix, id, at));
    if (JSON.stringify(named).length + JSON.stringify(answer).length > KEPT_CHARS_MAX) return null;
    const createdAt = this.deps.clock.nowMs();
    return { id, teamId, previousId, createdAt, expiresAt: createdAt + KEPT_MS, input: named, answer };
  }

  /** All that was put in with a response and came of it; nothing for one that is not there. */
  private async itemsOf(owner: Owner, id: string): Promise<readonly ResponseItem[]> {
    const { store, clock } = this.deps;
    const kept = isResponseId(id) ? await store.find(owner, id, clock.nowMs()) : null;
    return kept ? [...kept.input, ...kept.answer.output] : [];
  }
}

const sizeOf = ({ input, answer }: KeptResponse): number => Buffer.byteLength(JSON.stringify([input, answer]));

const tooLong = (): GatewayError =>
  new GatewayError("context_window", "What was said before is longer than any model takes.");

const gone = (id: string): GatewayError =>
  new GatewayError(
    "not_found",
    `There is no response \`${id.slice(0, 64)}\`: it was not stored, was deleted, or is over.`,
  );

const unfinished = ({ id, status }: ResponseAnswer): GatewayError =>
  new GatewayError(
    "invalid_request",
    `The response \`${id}\` is \`${status}\`: it can be gone on from when it has ended.`,
    {
      param: "previous_response_id",
    },
  );
