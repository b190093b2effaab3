import type { Metadata } from "../contract/assistants/parts.ts";
import type { Cursor, Owner, Slice } from "../contract/cursor.ts";
import { GatewayError } from "../contract/errors.ts";
import type { StorageGate } from "../contract/files/storage-gate.ts";
import { requireFound } from "../contract/require-found.ts";
import type { ResponseAnswer, ResponseItem } from "../contract/responses.ts";
import type { Clock } from "../lib/clock.ts";
import { newNamedId } from "../lib/ids.ts";
import type { Logger } from "../lib/log.ts";
import type { Conversation, ConversationStore } from "./conversation-store.ts";
import { type NamedItem, nameAnew } from "./name-items.ts";
import { inputItemId, responseOf } from "./response-ids.ts";

/** It is read into memory for each response: about what a request may have. */
const CHARS_MAX = 32 * 1024 * 1024;

const PREFIX = "conv_";
const CONVERSATION_ID = /^conv_[0-9a-f]{32}$/;

export interface ConversationDeps {
  readonly store: ConversationStore;
  readonly storage: StorageGate;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What is said in several responses, of the team of who asks. It stays until somebody deletes it. */
export class Conversations {
  constructor(private readonly deps: ConversationDeps) {}

  async create(owner: Owner, items: readonly ResponseItem[], metadata: Metadata): Promise<Conversation> {
    const { store, clock } = this.deps;
    const conversation = { id: newNamedId(PREFIX), teamId: owner.teamId, createdAt: clock.nowMs(), metadata };
    await store.insert(conversation, newItems(items));
    return conversation;
  }

  async get(owner: Owner, id: string): Promise<Conversation> {
    // What is none is never looked for: not every database takes every character.
    const found = CONVERSATION_ID.test(id) ? await this.deps.store.find(owner, id) : null;
    return requireFound(found, "conversation", id);
  }

  async update(owner: Owner, id: string, metadata: Metadata): Promise<Conversation> {
    const next = { ...(await this.get(owner, id)), metadata };
    requireFound((await this.deps.store.update(next)) || null, "conversation", id);
    return next;
  }

  async remove(owner: Owner, id: string): Promise<void> {
    await this.get(owner, id);
    requireFound((await this.deps.store.remove(owner, id)) || null, "conversation", id);
  }

  async said(owner: Owner, id: string): Promise<readonly NamedItem[]> {
    await this.get(owner, id);
    return this.deps.store.said(id);
  }

  /** What a response that was made in it had before it; nothing where the conversation, or all of the response in it, is gone. */
  async saidBefore(owner: Owner, id: string, responseId: string): Promise<readonly NamedItem[]> {
    if (!(await this.deps.store.find(owner, id))) return [];
    const items = await this.deps.store.said(id);
    const at = items.findIndex((item) => responseOf(item.id) === responseId);
    return at < 0 ? [] : items.slice(0, at);
  }

  async listItems(owner: Owner, id: string, cursor: Cursor): Promise<Slice<NamedItem>> {
    await this.get(owner, id);
    return this.deps.store.list(id, cursor);
  }

  async addItems(owner: Owner, id: string, items: readonly ResponseItem[]): Promise<readonly NamedItem[]> {
    await this.get(owner, id);
    const named = newItems(items);
    if (await this.deps.store.append(id, named, CHARS_MAX)) return named;
    await this.get(owner, id);
    throw full(id);
  }

  async getItem(owner: Owner, id: string, itemId: string): Promise<NamedItem> {
    await this.get(owner, id);
    return requireFound(await this.deps.store.findItem(id, itemId), "item", itemId);
  }

  async removeItem(owner: Owner, id: string, itemId: string): Promise<Conversation> {
    const conversation = await this.get(owner, id);
    requireFound((await this.deps.store.removeItem(id, itemId)) || null, "item", itemId);
    return conversation;
  }

  /**
   * Puts a response behind what was said, and says of it whether it is there. What cannot be put there is answered all the
   * same: it is paid for.
   */
  async take(
    owner: Owner,
    id: string,
    input: readonly ResponseItem[],
    answer: ResponseAnswer,
  ): Promise<ResponseAnswer> {
    const { store, storage, log } = this.deps;
    const named = nameAnew(input, (prefix, at) => inputItemId(prefix, answer.id, at));
    try {
      const items = [...named, ...(answer.output as NamedItem[])];
      await storage.admit(owner, Buffer.byteLength(JSON.stringify(items)), "text");
      if (await store.append(id, items, CHARS_MAX)) return answer;
    } catch (err) {
      const isFull = err instanceof GatewayError && err.kind === "storage_quota";
      if (!isFull) log.warn({ err, responseId: answer.id }, "a response could not be put into its conversation");
    }
    return { ...answer, conversation: null };
  }
}

const newItems = (items: readonly ResponseItem[]): NamedItem[] => nameAnew(items, (prefix) => newNamedId(`${prefix}_`));

const full = (id: string): GatewayError =>
  new GatewayError(
    "invalid_request",
    `The conversation \`${id}\` would be longer than ${CHARS_MAX / 1024 / 1024} MiB: begin another one.`,
    { param: "items" },
  );
