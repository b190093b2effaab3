import { MASTER } from "../../src/accounts/key-standing.ts";
import { Assistants } from "../../src/assistants/assistants.ts";
import { RunExecutor } from "../../src/assistants/run-desk.ts";
import type { Run, RunStatus } from "../../src/assistants/run-records.ts";
import { Runs } from "../../src/assistants/runs.ts";
import type { AssistantStores } from "../../src/assistants/store.ts";
import { Threads } from "../../src/assistants/threads.ts";
import type { ChatChunk, ChatDelta } from "../../src/contract/chat.ts";
import { GatewayError } from "../../src/contract/errors.ts";
import { createLogger } from "../../src/lib/log.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { NO_FILES } from "./no-files.ts";

/** `talk` calls, and says something behind it. `cut` says something, begins a call, and is never heard of again. */
export type ModelAnswer = "text" | "call" | "talk" | "length" | "error" | "cut";

const NOWHERE = { address: null, userAgent: null, tags: null };

/** A model that answers when the test says so. */
interface Pending {
  readonly run: Run;
  readonly desk: RunExecutor;
  answer(kind: ModelAnswer): void;
}

/** Processes over one database, whose time and models a test decides about. */
export class RunWorld {
  readonly clock = new SteppedClock();
  readonly moves: [RunStatus, RunStatus][] = [];
  readonly pending: Pending[] = [];
  readonly desks: { desk: RunExecutor; runs: Runs }[] = [];
  readonly threads: Threads;
  private readonly stores: AssistantStores;
  /** Nothing more reaches the database, as if the process were gone in this moment. */
  isCutOff: (next: Run) => boolean = () => false;
  private underWay = 0;

  constructor(stores: AssistantStores, processes: number) {
    this.stores = this.watched(stores);
    this.threads = new Threads(this.deps());
    for (let at = 0; at < processes; at++) this.startProcess(at);
  }

  /** In place of one that was there: what that was at is left as it is. */
  startProcess(at: number): void {
    const desk: RunExecutor = new RunExecutor({
      ...this.deps(),
      countTokens: async () => 1,
      contextOf: () => null,
      ask: async (run, _, signal) => this.ask(run, desk, signal),
      search: async () => [],
      log: createLogger("error", () => undefined),
    });
    this.desks[at] = { desk, runs: new Runs({ ...this.deps(), threads: this.threads, desk }) };
  }

  process(at: number): { desk: RunExecutor; runs: Runs } {
    const found = this.desks[at % this.desks.length];
    if (!found) throw new Error("there is no process");
    return found;
  }

  async newThread(): Promise<{ threadId: string; assistantId: string }> {
    const assistants = new Assistants(this.deps());
    const assistant = await assistants.create(
      MASTER,
      {
        model: "m",
        name: null,
        description: null,
        instructions: null,
        tools: [{ type: "function", function: { name: "f" } }],
        toolResources: null,
        metadata: {},
        temperature: null,
        topP: null,
        responseFormat: null,
        reasoningEffort: null,
      },
      NOWHERE,
    );
    const said = { role: "user" as const, content: "x", attachments: [], metadata: {} };
    const thread = await this.threads.create(MASTER, { messages: [said], toolResources: null, metadata: {} }, NOWHERE);
    return { threadId: thread.id, assistantId: assistant.id };
  }

  newRun(assistantId: string) {
    return {
      assistantId,
      additionalInstructions: null,
      messages: [],
      tools: null,
      toolResources: null,
      metadata: {},
      source: NOWHERE,
    };
  }

  /** The first process is gone; another takes its place, and so long afterwards looks at what was left. */
  async goOnAfter(ms: number): Promise<void> {
    this.startProcess(0);
    this.clock.step(ms);
    await this.process(0).desk.tick();
    await this.settle();
  }

  /** Waits until nothing moves any more but by time, models and callers. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 10; quiet = this.underWay === 0 ? quiet + 1 : 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  private deps() {
    return {
      stores: this.stores,
      files: NO_FILES,
      servedTools: new Set(["function"] as const),
      requireModel: () => undefined,
      clock: this.clock,
    };
  }

  private async ask(run: Run, desk: RunExecutor, signal: AbortSignal): Promise<AsyncIterable<ChatChunk>> {
    const answered = Promise.withResolvers<ModelAnswer>();
    const pending = { run, desk, answer: answered.resolve };
    const forget = () => {
      const at = this.pending.indexOf(pending);
      if (at >= 0) this.pending.splice(at, 1);
    };
    signal.addEventListener("abort", () => {
      forget();
      answered.reject(signal.reason);
    });
    this.pending.push(pending);
    return chunks(answered.promise.finally(forget), signal);
  }

  private watched(stores: AssistantStores): AssistantStores {
    const counted = async <T>(work: () => Promise<T>): Promise<T> => {
      this.underWay++;
      try {
        return await work();
      } finally {
        this.underWay--;
      }
    };
    const watch = <S extends object>(store: S): S =>
      new Proxy(store, {
        get: (target, name) => {
          const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
          return (...args: unknown[]) => counted(() => method.apply(target, args));
        },
      });
    return {
      assistants: watch(stores.assistants),
      threads: watch(stores.threads),
      messages: watch(stores.messages),
      steps: watch(stores.steps),
      runs: watch({
        ...stores.runs,
        change: (id, decide) =>
          stores.runs.change(id, (run) => {
            const next = decide(run);
            if (next && this.isCutOff(next)) throw new Error("the process is gone");
            if (next && next.status !== run.status) this.moves.push([run.status, next.status]);
            return next;
          }),
      }),
      transaction: (work) => counted(() => stores.transaction((tx) => work(this.watched(tx)))),
    };
  }
}

const base = { id: "c", object: "chat.completion.chunk" as const, created: 0, model: "m" };
const chunk = (delta: ChatDelta, finish_reason: "stop" | "length" | "tool_calls" | null = null): ChatChunk => ({
  ...base,
  choices: [{ index: 0, delta, finish_reason }],
});

async function* chunks(answer: Promise<ModelAnswer>, signal: AbortSignal): AsyncGenerator<ChatChunk> {
  const kind = await answer;
  if (kind === "error") throw new GatewayError("upstream", "The provider failed.");
  if (kind === "cut") {
    yield chunk({ content: "half" });
    yield chunk({ tool_calls: [{ index: 0, id: "call_cut", function: { name: "f", arguments: "{" } }] });
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  }
  if (kind === "call" || kind === "talk") {
    const call = { index: 0, id: `call_${crypto.randomUUID()}`, function: { name: "f", arguments: "{}" } };
    yield chunk({ tool_calls: [call] });
    if (kind === "talk") yield chunk({ content: "wait" });
    yield chunk({}, "tool_calls");
  } else {
    yield chunk({ content: "said" });
    yield chunk({}, kind === "length" ? "length" : "stop");
  }
  yield { ...base, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };
}
