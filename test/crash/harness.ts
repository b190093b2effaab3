import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { newFolder, runTurnpike, startTurnpike, type Turnpike } from "../e2e/process.ts";
import { type BookReport, compareBooks } from "./compare-books.ts";
import { type Seen, startLoad } from "./load.ts";
import { POINTS } from "./points.ts";
import { pickFrom, seeded } from "./seeded.ts";
import type { Served } from "./upstream.ts";

export interface CrashOptions {
  /** How often the process is killed. */
  readonly runs: number;
  readonly seed: number;
  readonly clients: number;
  /** Told after every kill. */
  readonly onRun?: (run: CrashRun) => void;
}

/** One kill: when it happened, and what the clients had seen since the one before. */
export interface CrashRun {
  readonly run: number;
  /** `any time`, or the point of the program at which it was killed. */
  readonly at: string;
  readonly calls: number;
  readonly whole: number;
  readonly cut: number;
  readonly lost: number;
}

export interface CrashReport {
  readonly seed: number;
  readonly runs: readonly CrashRun[];
  readonly books: BookReport;
  /** What `turnpike ledger verify` said at the end. */
  readonly verify: { readonly code: number; readonly output: string };
}

/** When a process is to end: at a point of the program, at its n-th passing, or some time after so many whole answers. */
interface Plan {
  readonly point: string | null;
  readonly passing: number;
  readonly wholeCalls: number;
  readonly thenMs: number;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
/** USD per token; the upstream tells how many tokens a call has. */
export const PRICES = { input: "0.000001", output: "0.000003" };
/** What is not reached by then is passed over, and the run says so. Generous: the machine may be busy. */
const PATIENCE_MS = 20_000;

/**
 * Sends plain and streamed calls without a pause, kills the gateway again and again, starts it on the same data, and
 * compares the books with what the provider counted.
 */
export async function runCrashes(options: CrashOptions): Promise<CrashReport> {
  const folder = newFolder();
  const upstream = await startUpstream();
  const random = seeded(options.seed);
  try {
    writeFileSync(join(folder.path, "turnpike.yaml"), configuration(upstream.url));
    let plan = nextPlan(1, random);
    let gateway = await startPlanned(folder.path, plan);
    const demoKey = /Demo key +(sk-\w+)/.exec(gateway.output())?.[1] ?? "";
    let marked = 0;
    const load = startLoad(
      () => gateway.url,
      demoKey,
      options.clients,
      () => `m${++marked}`,
    );
    const runs: CrashRun[] = [];
    for (let run = 1; run <= options.runs; run++) {
      const before = load.seen.length;
      const at = await end(gateway, plan, () => countOf(load.seen.slice(before), "whole"));
      plan = nextPlan(run + 1, random);
      gateway = await startPlanned(folder.path, run === options.runs ? null : plan);
      const seen = load.seen.slice(before);
      const [whole, cut, lost] = [countOf(seen, "whole"), countOf(seen, "cut"), countOf(seen, "lost")];
      const result = { run, at, calls: seen.length, whole, cut, lost };
      runs.push(result);
      options.onRun?.(result);
    }
    await load.stop();
    gateway.kill("SIGTERM");
    await gateway.exited;
    const served = (await (await fetch(`${upstream.url}/served`)).json()) as Record<string, Served>;
    const verify = runTurnpike(folder.path, ["ledger", "verify"]);
    const code = await verify.exited;
    const database = new Database(join(folder.path, "data/turnpike.db"), { readonly: true, safeIntegers: true });
    const books = compareBooks(database, served, load.seen);
    database.close();
    return { seed: options.seed, runs, books, verify: { code, output: verify.output() } };
  } finally {
    upstream.stop();
    folder.remove();
  }
}

/** Every other run ends at a named point, in turn, so that a few runs reach all of them. */
function nextPlan(run: number, random: () => number): Plan {
  const point = run % 2 === 0 ? (POINTS[(run / 2 - 1) % POINTS.length] ?? pickFrom(POINTS, random)) : null;
  const upTo = (most: number) => 1 + Math.floor(random() * most);
  return { point, passing: upTo(40), wholeCalls: upTo(60), thenMs: upTo(60) };
}

const countOf = (seen: readonly Seen[], outcome: Seen["outcome"]): number =>
  seen.filter((one) => one.outcome === outcome).length;

function startPlanned(folder: string, plan: Plan | null): Promise<Turnpike> {
  if (!plan?.point) return startTurnpike(folder);
  const env = { TURNPIKE_CRASH_POINT: plan.point, TURNPIKE_CRASH_PASSING: String(plan.passing) };
  return startTurnpike(folder, env, [], ["--preload", join(root, "test/crash/points.ts")]);
}

async function end(gateway: Turnpike, plan: Plan, wholeCalls: () => number): Promise<string> {
  const patience = Date.now() + PATIENCE_MS;
  let over = false;
  void gateway.exited.then(() => {
    over = true;
  });
  const isDue = () => (plan.point === null ? wholeCalls() >= plan.wholeCalls : over);
  while (!isDue() && Date.now() < patience) await Bun.sleep(5);
  if (over) return plan.point ?? "by itself";
  await Bun.sleep(plan.thenMs);
  gateway.kill("SIGKILL");
  await gateway.exited;
  return plan.point === null ? "any time" : `any time (${plan.point}: not reached)`;
}

export async function startUpstream(): Promise<{ readonly url: string; stop(): void }> {
  const child = Bun.spawn([process.execPath, join(root, "test/crash/upstream.ts")], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return { url: new TextDecoder().decode(value).trim(), stop: () => child.kill("SIGKILL") };
}

export const configuration = (upstream: string): string => `
model_list:
  - model_name: counted
    litellm_params:
      model: openai/counted
      api_base: ${upstream}/v1
      api_key: sk-of-the-provider
      input_cost_per_token: ${PRICES.input}
      output_cost_per_token: ${PRICES.output}
general_settings:
  log_level: error
  max_event_loop_delay: 0
`;
