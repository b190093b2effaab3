import type { KeptResponse, KeptResponseStore } from "../../assistants/kept-responses.ts";
import type { Owner } from "../../contract/cursor.ts";
import { GatewayError } from "../../contract/errors.ts";
import { requireFound } from "../../contract/require-found.ts";
import type { ResponseAnswer, ResponseItem } from "../../contract/responses.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import { inputItemId, responseOf } from "./item-id.ts";

const KEPT_MS = 30 * 86_400_000;
/** Longer ones, of many pictures, are not kept: they would fill the database. */
const KEPT_CHARS_MAX = 8 * 1024 * 1024;
const CHAIN_MAX = 1_000;
/** Of a whole conversation, which is read into memory: about what a request may have. */
const CHAIN_CHARS_MAX = 32 * 1024 * 1024;

export interface KeptDeps {
  readonly store: KeptResponseStore;
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

  /** All that was said up to and with a response. */
  async conversation(owner: Owner, id: string): Promise<ResponseItem[]> {
    const { store, clock } = this.deps;
    const chain = await store.chain(owner, id, clock.nowMs(), CHAIN_MAX);
    const [first] = chain;
    if (!first) throw gone(id);
    if (chain.length >= CHAIN_MAX && first.previousId !== null) {
      throw new GatewayError("invalid_request", `More than ${CHAIN_MAX} responses go on from one another.`);
    }
    if (first.previousId !== null) throw gone(first.previousId);
    if (chain.reduce((sum, { chars }) => sum + Number(chars), 0) > CHAIN_CHARS_MAX) {
      throw new GatewayError("context_window", "What was said before is longer than any model takes.");
    }
    const found = new Map((await store.findAll(chain.map((link) => link.id))).map((kept) => [kept.id, kept]));
    return chain.flatMap((link) => {
      const kept = found.get(link.id);
      if (!kept) throw gone(link.id);
      return [...kept.input, ...kept.answer.output];
    });
  }

  /** The same items, with what they refer to in place of the references. */
  async resolved(owner: Owner, items: readonly ResponseItem[]): Promise<readonly ResponseItem[]> {
    if (!items.some(({ type }) => type === "item_reference")) return items;
    const found: ResponseItem[] = [];
    for (const item of items) found.push(item.type === "item_reference" ? await this.item(owner, item.id) : item);
    return found;
  }

  /** What was put in with a response, each with an id. */
  async inputOf(owner: Owner, id: string): Promise<readonly ResponseItem[]> {
    const { input } = await this.get(owner, id);
    return input;
  }

  /** Says of the answer whether it is kept. What cannot be kept is answered all the same: it is paid for. */
  async keep(
    owner: Owner,
    previousId: string | null,
    input: readonly ResponseItem[],
    answer: ResponseAnswer,
  ): Promise<ResponseAnswer> {
    if (!answer.store) return answer;
    const { store, clock, log } = this.deps;
    const createdAt = clock.nowMs();
    const named = input.map((item, at) => nameItem(item, answer.id, at));
    if (JSON.stringify(named).length + JSON.stringify(answer).length > KEPT_CHARS_MAX) {
      return { ...answer, store: false };
    }
    const { id } = answer;
    const { teamId } = owner;
    try {
      await store.insert({ id, teamId, previousId, createdAt, expiresAt: createdAt + KEPT_MS, input: named, answer });
      return answer;
    } catch (err) {
      log.warn({ err, responseId: id }, "a response could not be kept");
      return { ...answer, store: false };
    }
  }

  private async item(owner: Owner, id: unknown): Promise<ResponseItem> {
    const responseId = typeof id === "string" ? responseOf(id) : null;
    const { store, clock } = this.deps;
    const kept = responseId === null ? null : await store.find(owner, responseId, clock.nowMs());
    const items = kept ? [...kept.input, ...kept.answer.output] : [];
    return requireFound(items.find((item) => item.id === id) ?? null, "item", String(id));
  }
}

const gone = (id: string): GatewayError =>
  new GatewayError(
    "not_found",
    `There is no response \`${id.slice(0, 64)}\`: it was not stored, was deleted, or is over.`,
  );

const PREFIXES: Readonly<Record<string, string>> = {
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "cto",
  reasoning: "rs",
};

function nameItem(item: ResponseItem, responseId: string, at: number): ResponseItem {
  const type = item.type ?? "message";
  return { ...item, type, id: item.id ?? inputItemId(PREFIXES[type] ?? "msg", responseId, at) };
}
