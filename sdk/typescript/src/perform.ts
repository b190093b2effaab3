import type { Datasets } from "./datasets.ts";
import { Failure, ParticipantError } from "./failure.ts";
import type { Context, Functions } from "./functions.ts";
import type { Packing } from "./pack/packing.ts";
import type { Call } from "./read-call.ts";
import { type Result, readResult } from "./results.ts";
import type { Rounds } from "./rounds.ts";
import { FormatError } from "./tensors/format-error.ts";
import type { Turn } from "./turns.ts";

/** Timers that are longer end at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

interface Setting {
  readonly functions: Functions;
  readonly datasets: Datasets;
  readonly rounds: Rounds;
  readonly turn: Turn;
  readonly requestId: string;
  /** Aborted when the caller has gone. */
  readonly gone: AbortSignal;
  readonly arrivedAtMs: number;
  readonly exposeErrors: boolean;
  /** Null where the update is not sent as it is. */
  readonly packing: Packing | null;
}

/** Waits for the turn, runs the function, checks what it gave. The turn ends when the function has really ended. */
export async function perform(call: Call, setting: Setting): Promise<Result> {
  const { turn, rounds } = setting;
  const stop = new AbortController();
  const end = endOf(call, setting, stop);
  let running = false;
  try {
    await Promise.race([turn.started, end.reached]);
    const known = rounds.find(call);
    if (known !== null) return known;
    running = true;
    const work = runAndKeep(call, setting, stop.signal).finally(() => turn.leave());
    work.catch(() => undefined);
    return await Promise.race([work, end.reached]);
  } catch (thrown) {
    throw asFailure(thrown, setting.exposeErrors);
  } finally {
    end.forget();
    if (!running) turn.leave();
  }
}

/** Kept before the turn ends: the same question may be the next in line. What comes of a function that was told to stop is nobody's answer. */
async function runAndKeep(call: Call, setting: Setting, signal: AbortSignal): Promise<Result> {
  const result = await runFunction(call, setting, signal);
  if (!signal.aborted) setting.rounds.keep(call, result);
  return result;
}

async function runFunction(call: Call, setting: Setting, signal: AbortSignal): Promise<Result> {
  const { functions, datasets, requestId } = setting;
  const { runId, round, config, weights } = call;
  const context: Context = { runId, round, config, weights, signal, requestId };
  if (call.method === "aggregate") {
    const aggregate = functions.aggregate as NonNullable<Functions["aggregate"]>;
    return readResult("aggregate", await withContext(aggregate, [call.parametersList], context));
  }
  const dataset = await datasets.resolve(call.hasDataset, call.dataset);
  const run = functions[call.method] as NonNullable<Functions["train"]>;
  const result = readResult(call.method, await withContext(run, [call.parameters, dataset], context));
  return setting.packing?.pack(call, result) ?? result;
}

// A function that declares one argument more gets the context; one with a default there keeps its default.
function withContext(run: (...args: never[]) => unknown, args: unknown[], context: Context): unknown {
  return run(...((run.length > args.length ? [...args, context] : args) as never[]));
}

/** Rejects when the deadline passes or the caller goes; both also abort the function's signal. */
function endOf({ deadlineMs }: Call, { gone, arrivedAtMs }: Setting, stop: AbortController) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let leave: () => void = () => undefined;
  const reached = new Promise<never>((_, reject) => {
    const finish = (failure: Failure) => {
      stop.abort(failure);
      reject(failure);
    };
    leave = () => finish(new Failure(499, "gone", "the caller has gone"));
    if (gone.aborted) leave();
    else gone.addEventListener("abort", leave, { once: true });
    if (deadlineMs === null) return;
    const look = (): void => {
      const left = arrivedAtMs + deadlineMs - performance.now();
      if (left > 0) timer = setTimeout(look, Math.min(left, TIMER_MS_MAX));
      else finish(new Failure(504, "deadline", `the deadline of ${deadlineMs} ms has passed`));
    };
    look();
  });
  reached.catch(() => undefined);
  return {
    reached,
    forget() {
      clearTimeout(timer);
      gone.removeEventListener("abort", leave);
    },
  };
}

function asFailure(thrown: unknown, expose: boolean): Failure {
  if (thrown instanceof Failure) return thrown;
  if (thrown instanceof ParticipantError) return new Failure(thrown.status, "participant_error", thrown.message);
  if (thrown instanceof FormatError) return new Failure(400, thrown.reason, thrown.message);
  const words = thrown instanceof Error ? thrown.message : String(thrown);
  const failure = new Failure(500, "handler_failed", expose ? words : "the participant's function failed");
  failure.cause = thrown;
  return failure;
}
