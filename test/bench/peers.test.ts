import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRunning, type Running } from "../../bench/contenders/contender.ts";
import { peerContender } from "../../bench/contenders/peers.ts";
import { parsePeers } from "../../bench/peers-file.ts";
import { isAlive } from "../../bench/processes.ts";
import { workloadOf } from "../../bench/workloads.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A gateway that refuses its first call, and returns what it was started with. */
const PEER = `
let calls = 0;
const { upstream } = await Bun.file(process.argv[2]).json();
Bun.serve({
  port: Number(process.argv[3]),
  hostname: "127.0.0.1",
  fetch: (request) =>
    Response.json(
      { upstream, url: process.env.UPSTREAM_URL, path: process.argv[2], key: request.headers.get("authorization") },
      { status: calls++ === 0 ? 503 : 200 },
    ),
});
`;
writeFileSync(join(folder, "peer.ts"), PEER);
writeFileSync(join(folder, "settings.json"), '{ "upstream": "{upstream}/v1" }');

const UPSTREAM = "http://127.0.0.1:9";
const DECLARED = {
  name: "relay",
  features: "none",
  command: [process.execPath, "{peers}/peer.ts", "{folder}/settings.json", "{port}"],
  templates: ["settings.json"],
  model: "bench",
  models: { gemini: "bench-gemini" },
  headers: { Authorization: "Bearer {upstream_port}" },
};

function contenderOf(peer: object) {
  const [parsed] = parsePeers(JSON.stringify({ peers: [peer] }), join(folder, "peers.json"));
  if (!parsed) throw new Error("the file has one peer");
  return peerContender(parsed);
}

interface Seen {
  readonly upstream: string;
  readonly url: string;
  readonly path: string;
  readonly key: string;
}

async function callPeer({ port, headers }: Running): Promise<Seen> {
  const response = await fetch(`http://127.0.0.1:${port}/`, { headers: headers("openai") });
  return (await response.json()) as Seen;
}

test("a peer is started with the address of the upstream, measured once it answers, and stopped", async () => {
  const started = await contenderOf(DECLARED).start(UPSTREAM, 1);
  if (!isRunning(started)) throw new Error(started.absent);
  const seen = await callPeer(started);
  expect(seen).toMatchObject({ upstream: `${UPSTREAM}/v1`, url: UPSTREAM, key: "Bearer 9" });
  expect(started.starts).toHaveLength(1);
  expect(started.starts?.[0]?.idleMb).toBeGreaterThan(1);
  await started.stop();
  expect(isAlive(started.pid ?? 0)).toBe(false);
  expect(existsSync(seen.path)).toBe(false);
});

test("a peer that ends before its first response is absent, and its log is for the console", async () => {
  const failing = { ...DECLARED, command: ["sh", "-c", "echo no licence >&2; exit 3"], templates: [] };
  const started = await contenderOf(failing).start(UPSTREAM, 1);
  expect(started).toEqual({ absent: "it was started and ended with 3 before its first response", log: "no licence" });
});

test("a peer that is not installed is absent under the name of its program", async () => {
  const started = await contenderOf({ ...DECLARED, command: ["{peers}/bin/gateway"] }).start(UPSTREAM, 1);
  expect(started).toEqual({ absent: "gateway is not installed" });
});

test("a peer that runs already is called at its address, and not stopped", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({}) });
  const { command: _, templates: __, ...rest } = DECLARED;
  const contender = contenderOf({ ...rest, address: server.url.origin, pid: process.pid });
  const started = await contender.start(UPSTREAM, 5);
  if (!isRunning(started)) throw new Error(started.absent);
  expect(started).toMatchObject({ port: server.port, pid: process.pid });
  await started.stop();
  expect((await fetch(server.url)).status).toBe(200);
  await server.stop(true);
  expect(await contender.start(UPSTREAM, 1)).toMatchObject({ absent: "it does not answer at its address" });
});

test("a peer serves a translated workload when it has a model for it, and never one of many keys", () => {
  const contender = contenderOf(DECLARED);
  const served = ["chat", "gemini", "anthropic", "keys"].filter((name) => contender.serves(workloadOf(name)));
  expect(served).toEqual(["chat", "gemini"]);
});
