import { Database } from "bun:sqlite";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, runTurnpike, startTurnpike } from "../e2e/process.ts";
import { childrenOf } from "../e2e/worker-pids.ts";
import { compareBooks } from "./compare-books.ts";
import { type CrashReport, type CrashRun, configuration, startUpstream } from "./harness.ts";
import { startLoad } from "./load.ts";
import { pickFrom, seeded } from "./seeded.ts";
import type { Served } from "./upstream.ts";

export interface WorkerCrashOptions {
  readonly workers: number;
  /** How often a worker is killed. */
  readonly runs: number;
  readonly seed: number;
  readonly clients: number;
}

const PATIENCE_MS = 60_000;

/** Kills one worker after the other under load while the rest goes on, and compares the books with what the provider counted. */
export async function runWorkerCrashes({ workers, runs, seed, clients }: WorkerCrashOptions): Promise<CrashReport> {
  const folder = newFolder();
  const upstream = await startUpstream();
  const random = seeded(seed);
  try {
    writeFileSync(join(folder.path, "turnpike.yaml"), configuration(upstream.url).replace("error", "info"));
    const server = await startTurnpike(folder.path, {}, ["--workers", String(workers)]);
    await server.waitFor(/all workers serve/);
    const demoKey = /Demo key +(sk-\w+)/.exec(server.output())?.[1] ?? "";
    let marked = 0;
    const load = startLoad(
      () => server.url,
      demoKey,
      clients,
      () => `m${++marked}`,
    );
    const whole = (): number => load.seen.filter(({ outcome }) => outcome === "whole").length;
    const reached = async (count: number): Promise<void> => {
      const patience = Date.now() + PATIENCE_MS;
      while (whole() < count && Date.now() < patience) await Bun.sleep(5);
    };
    const done: CrashRun[] = [];
    for (let run = 1; run <= runs; run++) {
      const before = load.seen.length;
      await reached(whole() + 1 + Math.floor(random() * 60));
      process.kill(pickFrom(childrenOf(server.pid), random), "SIGKILL");
      await server.waitFor(new RegExp(`(?:a worker is back[\\s\\S]*?){${run}}`));
      const seen = load.seen.slice(before);
      const count = (wanted: string): number => seen.filter(({ outcome }) => outcome === wanted).length;
      done.push({
        run,
        at: "any time",
        calls: seen.length,
        whole: count("whole"),
        cut: count("cut"),
        lost: count("lost"),
      });
    }
    await load.stop();
    server.kill("SIGTERM");
    if ((await server.exited) !== 0) throw new Error(`it did not end well:\n${server.output()}`);
    const served = (await (await fetch(`${upstream.url}/served`)).json()) as Record<string, Served>;
    const verify = runTurnpike(folder.path, ["ledger", "verify"]);
    const code = await verify.exited;
    const database = new Database(join(folder.path, "data/turnpike.db"), { readonly: true, safeIntegers: true });
    const books = compareBooks(database, served, load.seen);
    database.close();
    return { seed, runs: done, books, verify: { code, output: verify.output() } };
  } finally {
    upstream.stop();
    folder.remove();
  }
}
