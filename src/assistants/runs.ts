import type { Metadata, Tool, ToolResources } from "../contract/assistants/parts.ts";
import type { KeyCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import { requireFound } from "../contract/require-found.ts";
import { LEASE_MS } from "../lib/leased-task-runner.ts";
import type { AssistantDeps } from "./assistants.ts";
import { checkTools } from "./check-tools.ts";
import { newRecordId } from "./new-ids.ts";
import { newMessage, type SaidMessage, searchedFiles } from "./new-message.ts";
import type { Assistant, Thread } from "./records.ts";
import type { RunExecutor } from "./run-desk.ts";
import type { RunWatch } from "./run-events.ts";
import type { Run, RunSettings, Step } from "./run-records.ts";
import { askCancel, endCancelled, expire, isActive, NO_PROGRESS, resume } from "./run-states.ts";
import type { Cursor, Slice } from "./store.ts";
import { type NewThread, refuseWhileRunning, type Threads } from "./threads.ts";

/** From its creation; what has not come to its end by then is given up. */
const LIFETIME_MS = 10 * 60_000;

/** What a run says itself; the rest is the assistant's. */
export interface NewRun extends Partial<Omit<RunSettings, "tools" | "toolResources" | "source">> {
  readonly assistantId: string;
  readonly additionalInstructions: string | null;
  readonly messages: readonly SaidMessage[];
  readonly tools: readonly Tool[] | null;
  readonly toolResources: ToolResources | null;
  readonly metadata: Metadata;
  readonly source: RunSettings["source"];
}

export interface RunDeps extends AssistantDeps {
  readonly threads: Threads;
  readonly desk: RunExecutor;
}

/** What is made of a thread by an assistant. */
export class Runs {
  constructor(private readonly deps: RunDeps) {}

  /** The run waits for its turn when this answers; it is carried out behind the call. */
  async create(caller: KeyCaller, threadId: string, given: NewRun, watch: RunWatch | null = null): Promise<Run> {
    const thread = await this.deps.threads.get(caller, threadId);
    return this.begin(caller, thread, given, watch);
  }

  async createWithThread(
    caller: KeyCaller,
    made: NewThread,
    given: NewRun,
    watch: RunWatch | null = null,
  ): Promise<Run> {
    // Whether the run can be made is seen before a thread is left behind.
    await this.settingsOf(caller, given);
    const thread = await this.deps.threads.create(caller, made, given.source);
    watch?.push({ kind: "thread", thread });
    return this.begin(caller, thread, given, watch);
  }

  private async begin(caller: KeyCaller, thread: Thread, given: NewRun, watch: RunWatch | null): Promise<Run> {
    const { stores, threads, desk, clock } = this.deps;
    const settings = await this.settingsOf(caller, given);
    await threads.checkMessages(caller, given.messages);
    refuseWhileRunning(thread.id, await stores.threads.lock(thread.id));
    const toolResources = await threads.bringFiles(caller, thread, searchedFiles(given.messages), given.source);
    const now = clock.nowMs();
    const run: Run = {
      id: newRecordId("run"),
      threadId: thread.id,
      teamId: caller.teamId,
      keyId: caller.keyId,
      assistantId: given.assistantId,
      createdAt: now,
      expiresAt: now + LIFETIME_MS,
      status: "queued",
      leaseOwner: desk.owner,
      leaseUntil: now + LEASE_MS,
      attempts: 0,
      settings: { ...settings, toolResources: joined(settings.toolResources, toolResources) },
      progress: NO_PROGRESS,
      metadata: given.metadata,
    };
    await stores.transaction(async (tx) => {
      refuseWhileRunning(thread.id, await tx.threads.lock(thread.id));
      await tx.messages.append(
        thread.id,
        given.messages.map((said) => newMessage(thread.id, said, now)),
      );
      await tx.runs.insert(run);
    });
    watch?.push({ kind: "run", name: "created", run });
    watch?.push({ kind: "run", name: "queued", run });
    desk.start(run, watch);
    return run;
  }

  private async settingsOf(caller: KeyCaller, given: NewRun): Promise<RunSettings> {
    const { stores, requireModel, servedTools, files } = this.deps;
    const assistant = requireFound(
      await stores.assistants.find(caller, given.assistantId),
      "assistant",
      given.assistantId,
    );
    const model = given.model ?? assistant.model;
    requireModel(caller, model);
    const tools = checkTools(given.tools ?? assistant.tools, servedTools);
    checkChoice(given.toolChoice ?? null, tools);
    const truncation = given.truncation ?? { type: "auto", lastMessages: null };
    if (truncation.type === "last_messages" && truncation.lastMessages === null) {
      throw new GatewayError("invalid_request", "`last_messages` says how many.", { param: "truncation_strategy" });
    }
    return {
      model,
      instructions: [given.instructions ?? assistant.instructions, given.additionalInstructions]
        .filter((text) => text !== null && text !== undefined && text !== "")
        .join("\n\n"),
      tools,
      toolResources: given.toolResources
        ? await files.settle(caller, given.toolResources, given.source)
        : assistant.toolResources,
      toolChoice: given.toolChoice ?? null,
      parallelToolCalls: given.parallelToolCalls ?? true,
      ...sampling(given, assistant),
      maxPromptTokens: given.maxPromptTokens ?? null,
      maxCompletionTokens: given.maxCompletionTokens ?? null,
      truncation,
      source: given.source,
    };
  }

  /** A run whose time is over is found as that, whoever looks first. */
  async get(caller: KeyCaller, threadId: string, id: string): Promise<Run> {
    const { stores, threads, desk, clock } = this.deps;
    await threads.get(caller, threadId);
    const run = requireFound(await stores.runs.find(threadId, id), "run", id);
    const now = clock.nowMs();
    if (!isActive(run.status) || run.expiresAt > now || desk.isRunning(id)) return run;
    return (await desk.end(id, (found) => expire(found, now))) ?? run;
  }

  async list(caller: KeyCaller, threadId: string, cursor: Cursor): Promise<Slice<Run>> {
    await this.deps.threads.get(caller, threadId);
    return this.deps.stores.runs.list(threadId, cursor);
  }

  async update(caller: KeyCaller, threadId: string, id: string, metadata: Metadata): Promise<Run> {
    await this.get(caller, threadId, id);
    return requireFound(await this.deps.stores.runs.change(id, (run) => ({ ...run, metadata })), "run", id);
  }

  /** Whoever carries it out stops; a run that nobody carries out is cancelled at once. */
  async cancel(caller: KeyCaller, threadId: string, id: string): Promise<Run> {
    const { desk, stores, clock } = this.deps;
    const before = await this.get(caller, threadId, id);
    const cancelling = await stores.runs.change(id, askCancel);
    if (!cancelling) {
      const { status } = requireFound(await stores.runs.find(threadId, id), "run", id);
      throw new GatewayError("invalid_request", `A run that is \`${status}\` cannot be cancelled.`);
    }
    desk.halt(id, "cancelled");
    if (before.status === "requires_action") await desk.end(id, (run) => endCancelled(run, clock.nowMs()));
    return cancelling;
  }

  async submit(
    caller: KeyCaller,
    threadId: string,
    id: string,
    outputs: ReadonlyMap<string, string>,
    watch: RunWatch | null = null,
  ): Promise<Run> {
    const { stores, desk, clock } = this.deps;
    await this.get(caller, threadId, id);
    const now = clock.nowMs();
    const { queued, steps } = await stores.transaction(async (tx) => {
      const queued = await tx.runs.change(id, (found) => {
        checkOutputs(found, outputs);
        return resume(found, { owner: desk.owner, now });
      });
      if (!queued) throw new GatewayError("invalid_request", "The run does not wait for outputs any more.");
      const steps: Step[] = [];
      for (const step of await tx.steps.listAll(id)) {
        if (step.status !== "in_progress" || step.details.type !== "tool_calls") continue;
        const calls = step.details.calls.map((call) =>
          call.type === "function" ? { ...call, output: outputs.get(call.id) ?? "" } : call,
        );
        const done: Step = { ...step, details: { ...step.details, calls }, status: "completed", completedAt: now };
        await tx.steps.update(done);
        steps.push(done);
      }
      return { queued, steps };
    });
    for (const step of steps) watch?.push({ kind: "step", name: "completed", step });
    watch?.push({ kind: "run", name: "queued", run: queued });
    desk.start(queued, watch);
    return queued;
  }

  async listSteps(caller: KeyCaller, threadId: string, runId: string, cursor: Cursor): Promise<Slice<Step>> {
    await this.get(caller, threadId, runId);
    return this.deps.stores.steps.list(runId, cursor);
  }

  async getStep(caller: KeyCaller, threadId: string, runId: string, id: string): Promise<Step> {
    await this.get(caller, threadId, runId);
    return requireFound(await this.deps.stores.steps.find(runId, id), "step", id);
  }
}

type Sampling = Pick<RunSettings, "temperature" | "topP" | "responseFormat" | "reasoningEffort">;
const sampling = (given: NewRun, assistant: Assistant): Sampling => ({
  temperature: given.temperature ?? assistant.temperature,
  topP: given.topP ?? assistant.topP,
  responseFormat: given.responseFormat ?? assistant.responseFormat,
  reasoningEffort: given.reasoningEffort ?? assistant.reasoningEffort,
});

/** A search looks into what the assistant has and into what the thread has. */
function joined(assistant: ToolResources, thread: ToolResources): ToolResources {
  const ids = [assistant, thread].flatMap(({ file_search }) => file_search?.vector_store_ids ?? []);
  return ids.length === 0 ? {} : { file_search: { vector_store_ids: [...new Set(ids)] } };
}

/** A tool that must be called is one of the run's. */
function checkChoice(choice: RunSettings["toolChoice"], tools: readonly Tool[]): void {
  if (choice === null || choice === "auto" || choice === "none") return;
  const named = typeof choice === "string" ? null : choice;
  const name = (named?.function as { name?: unknown } | undefined)?.name;
  const found =
    named === null
      ? tools.length > 0
      : tools.some((tool) => (tool.type === "function" ? tool.function.name === name : tool.type === named.type));
  if (!found) {
    throw new GatewayError("invalid_request", "`tool_choice` asks for a tool that the run does not have.", {
      param: "tool_choice",
    });
  }
}

/** Every function that the run waits for, and no other, once. */
function checkOutputs({ id, status, progress }: Run, outputs: ReadonlyMap<string, string>): void {
  if (status !== "requires_action") {
    throw new GatewayError("invalid_request", `The run ${id} is \`${status}\` and does not wait for outputs.`);
  }
  const wanted = (progress.waitsFor ?? []).map((call) => call.id);
  const unknown = [...outputs.keys()].find((call) => !wanted.includes(call));
  const absent = wanted.find((call) => !outputs.has(call));
  if (unknown === undefined && absent === undefined) return;
  throw new GatewayError(
    "invalid_request",
    absent === undefined
      ? `The run does not wait for an output of \`${unknown?.slice(0, 64)}\`.`
      : `The output of \`${absent}\` is missing; all outputs come in one request.`,
    { param: "tool_outputs" },
  );
}
