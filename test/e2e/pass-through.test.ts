import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
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

const configOf = (entry: string): string =>
  `general_settings: { log_level: error, master_key: ${MASTER}, pass_through_endpoints: [${entry}] }\n`;

test(
  "who leaves in the middle of an upload pays nothing, and the target does not take half of it for the whole",
  async () => {
    const target = new Target();
    target.readsFirst = false;
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<string>();
    target.answer = async (request) => {
      const reader = (request.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      begun.resolve();
      const rest = reader.read();
      ended.resolve(
        await rest.then(
          () => "as if it were whole",
          () => "broke off",
        ),
      );
      return new Response();
    };
    const folder = newFolder();
    writeFileSync(
      join(folder.path, "turnpike.yaml"),
      configOf(`{ path: /dear, target: "${target.url}", cost_per_request: 0.25 }`),
    );
    const turnpike = await startTurnpike(folder.path);
    const { key } = await ask<{ key: string }>(turnpike, "/key/generate", {});
    const socket = connect(Number(new URL(turnpike.url).port), "127.0.0.1");
    const head = `POST /dear HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    socket.write(`${head}5\r\nhello\r\n`);
    await begun.promise;
    socket.destroy();
    expect(await ended.promise).toBe("broke off");
    let rows: Row[] = [];
    while (rows.length === 0) rows = await ask<Row[]>(turnpike, `/spend/logs?api_key=${key}`);
    expect(rows).toMatchObject([{ spend: 0, metadata: { error_code: "client_left" } }]);
    turnpike.kill("SIGTERM");
    await turnpike.exited;
    folder.remove();
    await target.stop();
  },
  SLOW_MS,
);

test(
  "a path that is served here is told by config check, and stops the start",
  async () => {
    const folder = newFolder();
    writeFileSync(join(folder.path, "turnpike.yaml"), configOf('{ path: /v1/rerank, target: "https://example.com" }'));
    const words = "/v1/rerank: POST /v1/rerank is served here already";
    for (const [command, told] of [
      [["config", "check"], `  general_settings.pass_through_endpoints[0].path  ${words}`],
      [["serve", "--port", "0"], words],
    ] as const) {
      const run = runTurnpike(folder.path, [...command]);
      expect(await run.exited).toBe(1);
      expect(run.output()).toContain(told);
    }
    const json = runTurnpike(folder.path, ["config", "check", "--json"]);
    await json.exited;
    expect(JSON.parse(json.output()).faults).toMatchObject([{ line: expect.any(Number), column: expect.any(Number) }]);
    folder.remove();
  },
  SLOW_MS,
);

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
    writeFileSync(join(folder.path, "turnpike.yaml"), configOf(entry));
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
