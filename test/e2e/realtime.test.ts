import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { RealtimeClient } from "../realtime/client.ts";
import { newFolder, startTurnpike, type Turnpike } from "./process.ts";

const SLOW_MS = 240_000;
const KEY = "sk-a-master-key-for-this-test";
const CONFIG = `general_settings: { log_level: error, drain_timeout: 2, master_key: ${KEY} }\n`;

const open = (turnpike: Turnpike): Promise<RealtimeClient> =>
  RealtimeClient.open(`${turnpike.url}/v1/realtime?model=echo-realtime`, { authorization: `Bearer ${KEY}` });

interface Row {
  readonly spend: number;
  readonly total_tokens: number;
}

const rowsOf = async (turnpike: Turnpike): Promise<Row[]> => {
  const response = await fetch(`${turnpike.url}/spend/logs`, { headers: { authorization: `Bearer ${KEY}` } });
  return (await response.json()) as Row[];
};

async function started(args: string[] = []) {
  const folder = newFolder();
  writeFileSync(join(folder.path, "turnpike.yaml"), CONFIG);
  return { folder, turnpike: await startTurnpike(folder.path, {}, args) };
}

test(
  "what a response cost is charged once when the process is killed right after its end",
  async () => {
    const { folder, turnpike } = await started();
    const client = await open(turnpike);
    const { response } = (await client.ask("Hello")) as unknown as { response: { usage: { total_tokens: number } } };
    turnpike.kill("SIGKILL");
    await turnpike.exited;
    await client.closed;
    const after = await startTurnpike(folder.path);
    const tokensOf = async () => (await rowsOf(after)).map(({ total_tokens }) => total_tokens).sort((a, b) => a - b);
    while ((await tokensOf()).length < 2) await Bun.sleep(50);
    // The response, and the session that it was in, which is free.
    expect(await tokensOf()).toEqual([0, response.usage.total_tokens]);
    const spend = (await rowsOf(after)).reduce((sum, row) => sum + row.spend, 0);
    expect(spend).toBeGreaterThan(0);
    after.kill("SIGTERM");
    await after.exited;
    folder.remove();
  },
  SLOW_MS,
);

test(
  "a session has its time when the server is told to stop, on several workers as well, and then is closed",
  async () => {
    const { folder, turnpike } = await started(["--workers", "2"]);
    const clients = await Promise.all([open(turnpike), open(turnpike), open(turnpike), open(turnpike)]);
    for (const client of clients) await client.ask("Hello");
    turnpike.kill("SIGTERM");
    // Calls that run go on while nothing new is let in.
    await clients[0]?.ask("Hello again");
    for (const client of clients) expect((await client.closed).code).toBe(1001);
    expect(await turnpike.exited).toBe(0);
    folder.remove();
  },
  SLOW_MS,
);
