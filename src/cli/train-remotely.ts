import { existsSync, readFileSync } from "node:fs";
import type { RoundView, RunRecord } from "../contract/training.ts";
import { COMMAND } from "../lib/command-name.ts";
import { parseYaml } from "../lib/parse-yaml.ts";
import { SseSplitter } from "../lib/sse.ts";
import { Absence } from "./absence.ts";
import type { Api } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import type { Context } from "./context.ts";
import { clean } from "./output.ts";
import { patiently } from "./patiently.ts";
import { listParticipants, tokenOf } from "./train-participants.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A stream of the server lasts ten minutes. */
const STREAM_TIMEOUT_MS = 15 * 60 * 1000;
/** `train run plan.yaml --server`: the plan that runs here, carried out by the server, and watched to its end. */
export async function runRemotely(context: Context, file: string, detach: boolean): Promise<void> {
  const { api, output } = context;
  const { participants, ...plan } = readPlan(file);
  const { initial, ...withoutModel } = plan;
  const isFile = typeof initial === "string";
  const initialModel = isFile ? readFile(initial).toString("base64") : undefined;
  const names = await register(context, participants);
  const run = await api.send<RunRecord>("POST", "/api/training/runs", {
    plan: { ...(isFile ? withoutModel : plan), participants: names },
    initialModel,
  });
  if (detach) output.record(run, { Run: run.id, Status: run.status }, run.id);
  else {
    output.note(`The run is ${run.id}; it goes on when this command ends. ${COMMAND} train watch ${run.id}`);
    await watchRun(context, run.id);
  }
}

/** Shows every round as it is finished. Ends when the run has, or pauses. */
export async function watchRun({ api, output }: Context, id: string): Promise<void> {
  const path = `/api/training/runs/${encodeURIComponent(id)}`;
  const { rounds } = await api.get<RunRecord>(path);
  let status = "";
  const absence = new Absence(output);
  for (let seen = 0; !isOver(status); ) {
    try {
      for await (const events of eventsOf(api, path, seen)) {
        for (const { name, data } of events) {
          seen++;
          absence.isOver();
          if (name === "round") output.note(roundText(JSON.parse(data) as RoundView, rounds));
          else ({ status } = JSON.parse(data) as { status: string });
        }
        // A paused run says nothing more until somebody resumes it; it may have been resumed since.
        if (status === "paused" && (await api.get<RunRecord>(path)).status === "paused") break;
      }
    } catch (thrown) {
      await absence.wait(thrown);
    }
  }
  const run = await api.get<RunRecord>(path);
  output.record(run, { Run: run.id, Status: run.status, Reason: run.reason, Rounds: run.roundsDone }, run.status);
  if (run.status !== "completed") {
    const hint = run.status === "paused" ? `${COMMAND} train resume ${id} goes on from there.` : undefined;
    throw new CliError(
      EXIT.error,
      "RUN_NOT_COMPLETED",
      `The run is ${run.status}.`,
      hint === undefined ? {} : { hint },
    );
  }
}

/** What happens in a run after so many events, as it comes. */
async function* eventsOf(api: Api, path: string, seen: number) {
  const headers = { "last-event-id": String(seen) };
  const call = { bearer: await api.token(), timeoutMs: STREAM_TIMEOUT_MS, headers };
  const { body } = await api.fetch(`${path}/events`, call);
  const splitter = new SseSplitter();
  const chunks = (body ?? new Blob().stream()).getReader();
  try {
    for (;;) {
      const { done, value } = await chunks.read().catch((thrown) => {
        throw api.failureOf(thrown);
      });
      if (done) return;
      yield splitter.push(value);
    }
  } finally {
    await chunks.cancel().catch(() => undefined);
  }
}

const isOver = (status: string): boolean => status === "paused" || status === "completed" || status === "cancelled";

function roundText(view: RoundView, rounds: number): string {
  const { round, accuracy, replies, dropped, warning, secure, evaluationFailures = [] } = view;
  const score = accuracy === null ? "" : `  accuracy ${accuracy.toFixed(4)}`;
  const who =
    secure === undefined
      ? `  ${replies.length} of ${replies.length + dropped.length} answered`
      : `  secure sum of ${replies.length} of ${secure.asked}`;
  const reasons = evaluationFailures.map(({ participant, reason }) => `${participant}: ${reason}`).join("; ");
  const silent = reasons === "" ? "" : `  ${evaluationFailures.length} did not evaluate (${reasons})`;
  return clean(`round ${round} of ${rounds}${score}${who}${silent}${warning === null ? "" : `  (${warning})`}`);
}

/** Participants that the plan gives an address for are registered, once; a plan holds no secrets, so their tokens are variables. */
async function register({ api, env, output }: Context, participants: unknown): Promise<unknown> {
  if (!Array.isArray(participants)) return participants;
  const known = new Map((await listParticipants(api)).map((one) => [one.name, one]));
  const named: unknown[] = [];
  for (const [at, item] of participants.entries()) {
    const fields: Fields = typeof item === "object" && item !== null ? (item as Fields) : { id: item };
    const { id = `p${at}`, url, token_env: tokenEnv, ...rest } = fields;
    named.push({ id, ...rest });
    if (typeof url !== "string") continue;
    const registered = known.get(String(id));
    if (registered && registered.url !== asKept(url)) {
      const token = typeof tokenEnv === "string" ? ` --token-env ${tokenEnv}` : "";
      throw usageError(
        `${id} is registered at ${registered.url}, and the plan has ${url}.`,
        `Change it with: ${COMMAND} train participants update ${id} --address ${url}${token}`,
      );
    }
    if (registered) continue;
    const token = typeof tokenEnv === "string" ? tokenOf(env, tokenEnv) : undefined;
    // A plan may name more than a server takes in a minute.
    await patiently(
      () => api.send("POST", "/api/training/participants", { name: id, url, token }),
      (seconds) => output.note(`The server takes no more for now; going on in ${seconds} seconds.`),
    ).catch((thrown) => {
      throw isWrong(thrown) ? notRegistered(String(id), url, thrown) : thrown;
    });
    output.note(`${id} is registered.`);
  }
  return named;
}

/** As a server writes an address that it is given. */
const asKept = (url: string): string => (URL.parse(url)?.href ?? url).replace(/\/+$/, "");

/** What was sent is refused, so that it matters whose it is. */
const isWrong = (thrown: unknown): thrown is CliError => thrown instanceof CliError && thrown.exit === EXIT.usage;

const notRegistered = (id: string, url: string, { exit, code, message, requestId }: CliError): CliError =>
  new CliError(exit, code, `The participant ${id} cannot be registered: ${message}`, {
    requestId,
    hint: `The plan has ${url} for it.`,
  });

function readPlan(file: string): Fields {
  try {
    const plan: unknown = parseYaml(readFile(file));
    if (typeof plan === "object" && plan !== null && !Array.isArray(plan)) return plan as Fields;
  } catch (thrown) {
    if (thrown instanceof CliError) throw thrown;
    throw usageError(`${file} cannot be read: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
  throw usageError(`${file} is no plan.`);
}

function readFile(file: string): Buffer {
  if (!existsSync(file)) throw usageError(`There is no file ${file}.`);
  try {
    return readFileSync(file);
  } catch (thrown) {
    throw usageError(`${file} cannot be read: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
}
