import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chat, MASTER, many, request, statuses } from "./ask-workers.ts";
import { newFolder, startTurnpike } from "./process.ts";
import { childrenOf } from "./worker-pids.ts";

/** Generous: the machine may be busy. */
setDefaultTimeout(240_000);
const WORKERS = 3;
const CALLS = 60;
/** Of a request to a worker that stands still: the next connection may reach another one. */
const PATIENCE_MS = 6_000;

const yaml = `
model_list:
  - model_name: free
    litellm_params: { model: echo/chat }
    model_info: { free: true, id: the-free-one }
  - model_name: dead
    litellm_params: { model: openai/dead, api_base: "http://127.0.0.1:9/v1", api_key: sk-none }
    model_info: { free: true, id: the-dead-one }
router_settings: { num_retries: 0 }
general_settings: { background_health_checks: true, health_check_interval: 86400, max_event_loop_delay: 0, api_writes_per_minute: 0, api_reads_per_minute: 0 }
`;

describe("what operators see of a server with several workers", async () => {
  const folder = newFolder();
  writeFileSync(join(folder.path, "turnpike.yaml"), yaml);
  const turnpike = await startTurnpike(folder.path, {
    TURNPIKE_MASTER_KEY: MASTER,
    TURNPIKE_WORKERS: String(WORKERS),
  });
  await turnpike.waitFor(/all workers serve/);
  afterAll(async () => {
    turnpike.kill("SIGTERM");
    await turnpike.exited;
    folder.remove();
  });

  /** Kills the worker with this number, and waits until it is back. */
  const kill = async (number: number): Promise<void> => {
    const isIt = (pid: number): boolean =>
      readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(`TURNPIKE_WORKER=${number}`);
    const back = turnpike.output().split("a worker is back").length;
    const pid = childrenOf(turnpike.pid).find(isIt);
    if (pid === undefined) throw new Error(`there is no worker ${number}`);
    process.kill(pid, "SIGKILL");
    await turnpike.waitFor(new RegExp(`(?:a worker is back[\\s\\S]*?){${back}}`));
  };
  /**
   * The first answer of several requests. A single request may reach the stopped worker again and again, until the
   * supervisor kills that worker.
   */
  const read = async (path: string): Promise<Response> => {
    for (;;) {
      const send = (): Promise<Response> =>
        request(turnpike, path, MASTER, undefined, AbortSignal.timeout(PATIENCE_MS));
      const answer = await Promise.any(many(2 * WORKERS, send)).catch(() => null);
      if (answer) return answer;
    }
  };
  const SERIES = {
    answered: /^turnpike_http_requests_total\{method="POST",path="\/v1\/chat\/completions",status="200"\} (\S+)$/m,
    timed: /^turnpike_http_request_duration_seconds_count\{path="\/v1\/chat\/completions"\} (\S+)$/m,
    tokens: /^turnpike_tokens_total\{model_group="free",kind="input"\} (\S+)$/m,
    tries: /^turnpike_deployment_calls_total\{deployment="the-free-one",[^}]*\} (\S+)$/m,
    cpu: /^process_cpu_seconds_total (\S+)$/m,
    workers: /^turnpike_workers (\S+)$/m,
  };
  const counted = async (): Promise<Record<keyof typeof SERIES, number>> => {
    const text = await (await read("/metrics")).text();
    const entries = Object.entries(SERIES).map(([name, line]) => [name, Number(line.exec(text)?.[1])]);
    return Object.fromEntries(entries);
  };

  test("counters do not fall when a worker dies: they would seem to have begun anew", async () => {
    expect(await statuses(many(CALLS, () => chat(turnpike, MASTER)))).toEqual({ 200: CALLS });
    const { cpu, ...before } = await counted();
    expect(before).toMatchObject({ answered: CALLS, timed: CALLS, tries: CALLS, workers: WORKERS });
    await kill(1);
    const { cpu: cpuAfter, ...after } = await counted();
    expect(after).toEqual(before);
    expect(cpuAfter).toBeGreaterThanOrEqual(cpu);
    expect(await statuses(many(CALLS, () => chat(turnpike, MASTER)))).toEqual({ 200: CALLS });
    expect(await counted()).toMatchObject({ answered: 2 * CALLS, timed: 2 * CALLS, tokens: 2 * before.tokens });
  });

  test("one that stands still takes neither its own counters nor anything of the others out of them", async () => {
    const { answered, tokens } = await counted();
    const [still] = childrenOf(turnpike.pid);
    if (still === undefined) throw new Error("there is no worker");
    process.kill(still, "SIGSTOP");
    try {
      for (let i = 0; i < 3; i++) expect(await counted()).toMatchObject({ answered, tokens, workers: WORKERS - 1 });
    } finally {
      process.kill(still, "SIGCONT");
    }
    expect(await counted()).toMatchObject({ answered, tokens, workers: WORKERS });
  });

  test("deployments are shown as all workers together see them, whichever is asked", async () => {
    const leave = new AbortController();
    const endless = { stream: true, echo_fault: { token_delay_ms: 60_000 } };
    const streams = await Promise.all(many(9, () => chat(turnpike, MASTER, endless, leave.signal)));
    expect(streams.map(({ status }) => status)).toEqual(Array(9).fill(200));
    for (let i = 0; i < 12; i++) {
      const backlog = (await (await request(turnpike, "/health/backlog", MASTER)).json()) as Record<string, number>;
      // The question is among them; one that was asked before may not be quite over.
      expect(backlog.in_flight_requests).toBeGreaterThanOrEqual(10);
    }
    // However they are spread over the workers, one of these gets the five failures in a row after which it rests.
    const failed = 4 * WORKERS + 1;
    await statuses(many(failed, () => chat(turnpike, MASTER, { model: "dead" })));
    interface Shown {
      readonly id: string;
      readonly state: string;
      readonly inFlight: number;
      readonly calls: number;
      readonly failures: number;
      readonly restsUntil: string | null;
    }
    const shown = async (): Promise<Shown[]> =>
      ((await (await request(turnpike, "/api/admin/deployments", MASTER)).json()) as { data: Shown[] }).data;
    const lists = await Promise.all(Array.from({ length: 12 }, shown));
    for (const list of lists) {
      expect(list.find(({ id }) => id === "the-free-one")).toMatchObject({ state: "well", inFlight: 9 });
      expect(list.find(({ id }) => id === "the-dead-one")).toMatchObject({
        state: "resting",
        calls: failed,
        failures: failed,
      });
      expect(list.find(({ id }) => id === "the-dead-one")?.restsUntil).not.toBeNull();
    }
    leave.abort();
    // Held until here: an answer that nobody holds any more is collected, and its stream ends with it.
    expect(streams).toHaveLength(9);
    const cleared = await request(turnpike, "/api/admin/deployments/the-dead-one/cooldown", MASTER, {
      action: "clear",
    });
    expect(await cleared.json()).toMatchObject({ state: "unwell", restsUntil: null });
  });

  test("what checks of deployments have found is known to workers that begin later, too", async () => {
    interface Group {
      readonly model_group: string;
      readonly health_status: string | null;
    }
    const known = async (): Promise<(string | null | undefined)[]> => {
      const { data } = (await (await request(turnpike, "/model_group/info", MASTER)).json()) as { data: Group[] };
      return ["free", "dead"].map((name) => data.find(({ model_group }) => model_group === name)?.health_status);
    };
    const askAll = async (): Promise<string[]> =>
      (await Promise.all(Array.from({ length: 24 }, known))).map((found) => found.join(" "));
    const expectAllToKnow = async (): Promise<void> => {
      const patience = Date.now() + 20_000;
      const isKnown = (found: string): boolean => found === "healthy unhealthy";
      while (!(await askAll()).every(isKnown) && Date.now() < patience) await Bun.sleep(50);
      expect(await askAll()).toEqual(Array(24).fill("healthy unhealthy"));
    };
    await expectAllToKnow();
    // Not the first, which would make all checks again.
    await kill(WORKERS);
    await expectAllToKnow();
  });
});
