import type { Metadata, NewToolResources, ToolResources } from "../contract/assistants/parts.ts";
import type { KeyCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { RequestSource } from "../contract/request-source.ts";
import { requireFound } from "../contract/require-found.ts";
import type { AssistantDeps } from "./assistants.ts";
import { newRecordId } from "./new-ids.ts";
import { checkAttachments, fileIdsOf, newMessage, type SaidMessage, searchedFiles } from "./new-message.ts";
import type { Message, Thread } from "./records.ts";
import type { Cursor, Slice } from "./store.ts";

export interface NewThread {
  readonly messages: readonly SaidMessage[];
  readonly toolResources: NewToolResources | null;
  readonly metadata: Metadata;
}

export interface ThreadChanges {
  readonly toolResources?: NewToolResources | null;
  readonly metadata?: Metadata;
}

/** Conversations and what is said in them. */
export class Threads {
  constructor(private readonly deps: Omit<AssistantDeps, "requireModel">) {}

  async create(caller: KeyCaller, given: NewThread, source: RequestSource): Promise<Thread> {
    const { stores, files, clock } = this.deps;
    await this.checkMessages(caller, given.messages);
    const now = clock.nowMs();
    const thread: Thread = {
      id: newRecordId("thread"),
      teamId: caller.teamId,
      createdAt: now,
      metadata: given.metadata,
      toolResources: await files.searchable(
        caller,
        await files.settle(caller, given.toolResources, source),
        searchedFiles(given.messages),
        source,
      ),
    };
    await stores.transaction(async (tx) => {
      await tx.threads.insert(thread);
      await tx.messages.append(
        thread.id,
        given.messages.map((said) => newMessage(thread.id, said, now)),
      );
    });
    return thread;
  }

  async get(caller: KeyCaller, id: string): Promise<Thread> {
    return requireFound(await this.deps.stores.threads.find(caller, id), "thread", id);
  }

  list(caller: KeyCaller, cursor: Cursor): Promise<Slice<Thread>> {
    return this.deps.stores.threads.list(caller, cursor);
  }

  async update(
    caller: KeyCaller,
    id: string,
    { toolResources, metadata }: ThreadChanges,
    source: RequestSource,
  ): Promise<Thread> {
    const { stores, files } = this.deps;
    await this.get(caller, id);
    const settled =
      toolResources === undefined ? {} : { toolResources: await files.settle(caller, toolResources, source) };
    return stores.transaction(async (tx) => {
      await tx.threads.lock(id);
      const present = requireFound(await tx.threads.find(caller, id), "thread", id);
      const next = { ...present, ...settled, ...(metadata === undefined ? {} : { metadata }) };
      await tx.threads.update(next);
      return next;
    });
  }

  async remove(caller: KeyCaller, id: string): Promise<void> {
    requireFound((await this.deps.stores.threads.remove(caller, id)) ? id : null, "thread", id);
  }

  async addMessage(caller: KeyCaller, threadId: string, said: SaidMessage, source: RequestSource): Promise<Message> {
    const { stores, clock } = this.deps;
    const thread = await this.get(caller, threadId);
    await this.checkMessages(caller, [said]);
    // Seen before anything is made for the message, and again where nothing can come between.
    refuseWhileRunning(threadId, await stores.threads.lock(threadId));
    await this.bringFiles(caller, thread, searchedFiles([said]), source);
    return stores.transaction(async (tx) => {
      refuseWhileRunning(threadId, await tx.threads.lock(threadId));
      const [message] = await tx.messages.append(threadId, [newMessage(threadId, said, clock.nowMs())]);
      return message as Message;
    });
  }

  async getMessage(caller: KeyCaller, threadId: string, id: string): Promise<Message> {
    await this.get(caller, threadId);
    return requireFound(await this.deps.stores.messages.find(threadId, id), "message", id);
  }

  async listMessages(caller: KeyCaller, threadId: string, cursor: Cursor, runId?: string): Promise<Slice<Message>> {
    await this.get(caller, threadId);
    const { messages, runs } = this.deps.stores;
    if (runId !== undefined) requireFound(await runs.find(threadId, runId), "run", runId);
    return messages.list(threadId, cursor, runId);
  }

  /** A message that a run is writing changes when the run says so. */
  async updateMessage(caller: KeyCaller, threadId: string, id: string, metadata: Metadata): Promise<Message> {
    await this.get(caller, threadId);
    return this.deps.stores.transaction(async (tx) => {
      const { activeRunId } = await tx.threads.lock(threadId);
      const present = requireFound(await tx.messages.find(threadId, id), "message", id);
      if (present.status === "in_progress") refuseWhileRunning(threadId, { activeRunId });
      const next = { ...present, metadata };
      await tx.messages.update(next);
      return next;
    });
  }

  async removeMessage(caller: KeyCaller, threadId: string, id: string): Promise<void> {
    await this.get(caller, threadId);
    await this.deps.stores.transaction(async (tx) => {
      refuseWhileRunning(threadId, await tx.threads.lock(threadId));
      requireFound((await tx.messages.remove(threadId, id)) ? id : null, "message", id);
    });
  }

  /** Files that messages bring along are found in the thread from now on. Gives what it looks into. */
  async bringFiles(
    caller: KeyCaller,
    thread: Thread,
    fileIds: readonly string[],
    source: RequestSource,
  ): Promise<ToolResources> {
    if (fileIds.length === 0) return thread.toolResources;
    return this.deps.files.searchable(caller, await this.giveStore(caller, thread), fileIds, source);
  }

  /** What the thread looks into, which is something from now on. Of stores that are made at the same time one stays. */
  private async giveStore(caller: KeyCaller, { id, toolResources }: Thread): Promise<ToolResources> {
    const { stores, files } = this.deps;
    const made = await files.withStore(caller, toolResources);
    if (made === toolResources) return made;
    const kept = await stores.transaction(async (tx) => {
      await tx.threads.lock(id);
      const present = requireFound(await tx.threads.find(caller, id), "thread", id);
      if ((present.toolResources.file_search?.vector_store_ids ?? []).length > 0) return present.toolResources;
      await tx.threads.update({ ...present, toolResources: made });
      return made;
    });
    if (kept !== made) await files.dropStore(caller, made);
    return kept;
  }

  /** Everything that messages name is there. */
  async checkMessages(caller: KeyCaller, messages: readonly SaidMessage[]): Promise<void> {
    checkAttachments(messages, this.deps.servedTools);
    await this.deps.files.requireFiles(caller, fileIdsOf(messages));
  }
}

/** What a run reads must not change under it. */
export function refuseWhileRunning(threadId: string, { activeRunId }: { readonly activeRunId: string | null }): void {
  if (activeRunId === null) return;
  throw new GatewayError("invalid_request", `Thread ${threadId} has an active run ${activeRunId}; wait for its end.`);
}
