import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Target } from "../pass-through/target.ts";
import { newFolder, runTurnpike, startTurnpike, type Turnpike } from "./process.ts";

const SLOW_MS = 240_000;
const MASTER = "sk-a-master-key-for-this-test";

async function ask<T>(turnpike: Turnpike, path: string, json?: unknown): Promise<T> {
  const response = await fetch(`${turnpike.url}${path}`, {
    method: json === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${MASTER}`, "content-type": "application/json" },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  return (await response.json()) as T;
}

interface Row {
  readonly call_type: string;
  readonly status: string;
  readonly spend: number;
  readonly model: string;
}

test(
  "of two calls that are passed on when the process is killed, the one that was answered is charged",
  async () => {
    const target = new Target();
    const never = Promise.withResolvers<Response>();
    target.answer = (request) =>
      request.url.endsWith("/answered")
        ? new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("begun")) }))
        : never.promise;
    const folder = newFolder();
    const entry = `{ path: /dear, target: "${target.url}", include_subpath: true, cost_per_request: 0.25 }`;
    const config = `general_settings: { log_level: error, master_key: ${MASTER}, pass_through_endpoints: [${entry}] }\n`;
    writeFileSync(join(folder.path, "turnpike.yaml"), config);
    const before = await startTurnpike(folder.path);
    const { key } = await ask<{ key: string }>(before, "/key/generate", {});
    const headers = { authorization: `Bearer ${key}` };
    const answered = await fetch(`${before.url}/dear/answered`, { headers });
    await answered.body?.getReader().read();
    // In the journal behind what the first one has told: when this one is under way, that is written.
    const waiting = fetch(`${before.url}/dear/waiting`, { headers }).catch(() => null);
    await target.calls(2);
    before.kill("SIGKILL");
    await before.exited;
    await waiting;

    const after = await startTurnpike(folder.path);
    const { info } = await ask<{ info: { spend: number } }>(after, `/key/info?key=${key}`);
    expect(info.spend).toBe(0.25);
    const rows = await ask<Row[]>(after, `/spend/logs?api_key=${key}`);
    const told = rows.map(({ call_type, model, spend }) => `${call_type} ${model} ${spend}`).sort();
    expect(told).toEqual(["pass_through_endpoint /dear 0", "pass_through_endpoint /dear 0.25"]);
    after.kill("SIGTERM");
    await after.exited;
    const verified = runTurnpike(folder.path, ["ledger", "verify"]);
    expect([await verified.exited, verified.output()]).toEqual([0, expect.not.stringContaining("differ")]);
    folder.remove();
    await target.stop();
  },
  SLOW_MS,
);
