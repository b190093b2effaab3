import type { ChatChunk, ToolCallDelta } from "../contract/chat.ts";
import { GatewayError } from "../contract/errors.ts";
import type { ExecutionDeps } from "./execution-deps.ts";
import { newRecordId } from "./new-ids.ts";
import { type CalledTool, ReadAnswer } from "./read-answer.ts";
import type { Message } from "./records.ts";
import type { RunEvent } from "./run-events.ts";
import type { FunctionCall, Run, RunUsage, Step, StepCall } from "./run-records.ts";
import * as states from "./run-states.ts";
import { citationsIn, queryOf, SEARCH_NAME } from "./search-tool.ts";
import type { AssistantStores, NewMessage, NewStep } from "./store.ts";

export type TurnOutcome =
  /** The model is asked again. */
  | { readonly next: "again"; readonly run: Run }
  /** The caller has functions to carry out. */
  | { readonly next: "waits"; readonly run: Run }
  | { readonly next: "over"; readonly run: Run; readonly end: (run: Run) => Run | null; readonly last: Closing | null };

/** A message that is at its end: what is written, and what is told once it is. */
export interface Closing {
  write(tx: AssistantStores): Promise<void>;
  tell(): void;
}

/** What a turn needs of the run that it is part of. */
export interface TurnHost {
  readonly deps: ExecutionDeps;
  readonly signal: AbortSignal;
  emit(event: RunEvent): void;
  /** A call of the run that is not one of the model has cost this, in nano-USD. */
  spend(cost: bigint): void;
  /** What was charged for since this was last asked. */
  takeSpent(): RunUsage;
  /** All of it or nothing, and only while the run is ours. What was paid for waits here until the database is back. */
  write<T>(run: Run, work: (tx: AssistantStores) => Promise<T>): Promise<T>;
  /** What only reads waits as well. */
  whenBack<T>(work: () => Promise<T>): Promise<T>;
}

/** One answer of the model in a run: what it says becomes a message, what it calls a step of tool calls. */
export class Turn {
  private readonly answer = new ReadAnswer();
  private message: Message | null = null;
  private messageStep: Step | null = null;
  private toolStep: Step | null = null;
  /** What is said behind calls. It is told with them, because clients follow one step at a time. */
  private saidBehind = "";
  private spent: RunUsage | null = null;

  constructor(
    private readonly execution: TurnHost,
    private run: Run,
  ) {}

  /** What has been said so far. */
  get said(): string {
    return this.answer.text;
  }

  async take(chunks: AsyncIterable<ChatChunk>): Promise<TurnOutcome> {
    for await (const chunk of chunks) {
      const { text, calls } = this.answer.add(chunk);
      if (text !== "") await this.say(text);
      if (calls.length > 0) await this.call(calls);
    }
    this.execution.signal.throwIfAborted();
    const called = this.answer.calls.filter((call) => call !== undefined);
    // Arguments that were cut off are none.
    const isCut = this.answer.finish === "length" || this.answer.finish === "content_filter";
    return called.length > 0 && !isCut ? this.endWithCalls(called) : this.endWithMessage();
  }

  private async say(text: string): Promise<void> {
    if (this.toolStep) {
      this.saidBehind += text;
      return;
    }
    if (!this.message) await this.openMessage();
    const messageId = this.message?.id ?? "";
    this.execution.emit({ kind: "text", messageId, text, annotations: [] });
  }

  private async openMessage(): Promise<void> {
    const made = this.newMessage();
    const details = { type: "message_creation" as const, messageId: made.id };
    const begun = this.newStep(details, made.createdAt);
    const opened = await this.execution.write(this.run, async (tx) => {
      const step = await tx.steps.append(begun);
      const [message] = await tx.messages.append(made.threadId, [made]);
      return { step, message: message as Message };
    });
    this.messageStep = opened.step;
    this.message = opened.message;
    this.tellOpened(opened.step);
    this.tellMessage(opened.message);
  }

  private async call(deltas: readonly ToolCallDelta[]): Promise<void> {
    if (!this.toolStep) {
      await this.closeMessage();
      const begun = this.newStep({ type: "tool_calls", calls: [] }, this.now());
      this.toolStep = await this.execution.write(this.run, (tx) => tx.steps.append(begun));
      this.tellOpened(this.toolStep);
    }
    const stepId = this.toolStep.id;
    for (const { index, id, function: called } of deltas) {
      const name = this.answer.calls[index]?.name ?? "";
      if (name === SEARCH_NAME && this.hasSearch()) {
        if (id) this.execution.emit({ kind: "call", stepId, index, call: { type: "file_search", id } });
        continue;
      }
      const call = {
        type: "function" as const,
        ...(id ? { id } : {}),
        ...(called?.name ? { name: called.name } : {}),
        arguments: called?.arguments ?? "",
      };
      this.execution.emit({ kind: "call", stepId, index, call });
    }
  }

  private async endWithMessage(): Promise<TurnOutcome> {
    const { finish } = this.answer;
    if (!this.message && finish !== "length" && !this.toolStep) await this.openMessage();
    const now = this.now();
    if (finish === "length") {
      const last = await this.closing("incomplete", "max_tokens", this.used());
      return this.over((run) => states.leaveIncomplete(run, "max_completion_tokens"), last);
    }
    if (finish === "content_filter") {
      const last = await this.closing("incomplete", "content_filter", this.used());
      const message = "The provider's content filter ended the answer.";
      return this.over((run) => states.fail(run, { code: "invalid_prompt", message }, now), last);
    }
    return this.over((run) => states.complete(run, now), await this.closing("completed", null, this.used()));
  }

  /** The model goes on with calls: what it said before them is complete. */
  private async closeMessage(): Promise<void> {
    const closing = await this.closing("completed", null, null);
    if (!closing) return;
    await this.execution.write(this.run, (tx) => closing.write(tx));
    closing.tell();
  }

  /** The message and its step, with what was said and which files it cites. The usage goes with the turn's last step. */
  private async closing(
    status: "completed" | "incomplete",
    reason: string | null,
    usage: RunUsage | null,
  ): Promise<Closing | null> {
    const [message, step] = [this.message, this.messageStep];
    if (!message || !step || message.status !== "in_progress") return null;
    const now = this.now();
    const { stores } = this.execution.deps;
    const steps = await this.execution.whenBack(() => stores.steps.listAll(this.run.id));
    const calls = steps.map(({ details }) => (details.type === "tool_calls" ? [...details.calls] : []));
    const annotations = citationsIn(this.answer.text, calls);
    const closed: Message = {
      ...message,
      status,
      content: [{ type: "text", text: { value: this.answer.text, annotations } }],
      completedAt: status === "completed" ? now : null,
      incompleteAt: status === "completed" ? null : now,
      incompleteReason: reason,
    };
    const done: Step = { ...step, status: "completed", completedAt: now, usage };
    return {
      write: async (tx) => {
        await tx.messages.update(closed);
        await tx.steps.update(done);
      },
      tell: () => {
        this.message = closed;
        if (annotations.length > 0) this.execution.emit({ kind: "text", messageId: message.id, text: "", annotations });
        this.execution.emit({ kind: "message", name: status, message: closed });
        this.execution.emit({ kind: "step", name: "completed", step: done });
      },
    };
  }

  private async endWithCalls(called: readonly CalledTool[]): Promise<TurnOutcome> {
    if (!this.toolStep || called.some(({ name }) => name === "")) {
      throw new GatewayError("upstream", "The model called a tool without naming it.");
    }
    const calls: StepCall[] = [];
    for (const one of called) calls.push(await this.carryOutCall(one));
    const waitsFor = calls.flatMap((call): FunctionCall[] =>
      call.type === "function" ? [{ id: call.id, name: call.name, arguments: call.arguments }] : [],
    );
    const behind = this.behindCalls();
    const details = { type: "tool_calls" as const, calls, ...(behind ? { messageId: behind.messageId } : {}) };
    const now = this.now();
    const open: Step = { ...this.toolStep, details, usage: this.used() };
    if (waitsFor.length > 0) return this.waitFor(open, waitsFor, behind);
    const step: Step = { ...open, status: "completed", completedAt: now };
    const run = await this.execution.write(this.run, async (tx) => {
      await tx.steps.update(step);
      await behind?.write(tx);
      return tx.runs.change(this.run.id, (found) => this.counted(found));
    });
    this.execution.emit({ kind: "step", name: "completed", step });
    behind?.tell();
    return { next: "again", run: run ?? this.run };
  }

  private async waitFor(step: Step, waitsFor: readonly FunctionCall[], behind: Closing | null): Promise<TurnOutcome> {
    const run = await this.execution.write(this.run, async (tx) => {
      await tx.steps.update(step);
      await behind?.write(tx);
      return tx.runs.change(this.run.id, (found) => states.requireAction(this.counted(found), waitsFor));
    });
    behind?.tell();
    if (run) return { next: "waits", run };
    // Cancelled meanwhile: the end of the run ends the step.
    return { next: "over", run: this.run, end: () => null, last: null };
  }

  /** A message of what was said behind the calls; null where that is nothing. The step of the calls is its step, too. */
  private behindCalls(): (Closing & { readonly messageId: string }) | null {
    const value = this.saidBehind;
    if (value.trim() === "") return null;
    const opened = this.newMessage();
    let written: Message | null = null;
    return {
      messageId: opened.id,
      write: async (tx) => {
        const content = [{ type: "text" as const, text: { value, annotations: [] } }];
        const closed = { ...opened, status: "completed" as const, content, completedAt: this.now() };
        [written = null] = await tx.messages.append(opened.threadId, [closed]);
      },
      tell: () => {
        if (!written) return;
        this.tellMessage({ ...opened, position: written.position });
        this.execution.emit({ kind: "text", messageId: opened.id, text: value, annotations: [] });
        this.execution.emit({ kind: "message", name: "completed", message: written });
      },
    };
  }

  private async carryOutCall(called: CalledTool): Promise<StepCall> {
    const { deps, signal } = this.execution;
    const { id } = called;
    if (called.name !== SEARCH_NAME || !this.hasSearch()) {
      return { type: "function", id, name: called.name, arguments: called.arguments, output: null };
    }
    const query = queryOf(called.arguments);
    const results = await this.execution.whenBack(() =>
      deps.search(this.run, query, signal, (cost) => this.execution.spend(cost)),
    );
    return { type: "file_search", id, arguments: called.arguments, results };
  }

  private over(end: (run: Run) => Run | null, last: Closing | null): TurnOutcome {
    return { next: "over", run: this.run, end: (run) => end(this.counted(run)), last };
  }

  /** By the provider's count, or by what was charged for where it gave none, and what that has cost. */
  private used(): RunUsage {
    this.spent = states.addUsage(this.execution.takeSpent(), this.spent);
    const { usage } = this.answer;
    return usage === null ? this.spent : { ...usage, costNano: this.spent.costNano ?? 0 };
  }

  private counted(run: Run): Run {
    return states.addUsed(run, this.used());
  }

  private newMessage(): NewMessage {
    return {
      id: newRecordId("msg"),
      threadId: this.run.threadId,
      createdAt: this.now(),
      runId: this.run.id,
      assistantId: this.run.assistantId,
      role: "assistant",
      status: "in_progress",
      content: [],
      attachments: [],
      metadata: {},
      completedAt: null,
      incompleteAt: null,
      incompleteReason: null,
    };
  }

  private newStep(details: Step["details"], now: number): NewStep {
    return {
      id: newRecordId("step"),
      runId: this.run.id,
      threadId: this.run.threadId,
      assistantId: this.run.assistantId,
      createdAt: now,
      status: "in_progress",
      details,
      usage: null,
      lastError: null,
      completedAt: null,
      cancelledAt: null,
      failedAt: null,
      expiredAt: null,
    };
  }

  private tellOpened(step: Step): void {
    this.execution.emit({ kind: "step", name: "created", step });
    this.execution.emit({ kind: "step", name: "in_progress", step });
  }

  private tellMessage(message: Message): void {
    this.execution.emit({ kind: "message", name: "created", message });
    this.execution.emit({ kind: "message", name: "in_progress", message });
  }

  private hasSearch(): boolean {
    return this.run.settings.tools.some(({ type }) => type === "file_search");
  }

  private now(): number {
    return this.execution.deps.clock.nowMs();
  }
}
