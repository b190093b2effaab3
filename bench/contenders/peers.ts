import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Subprocess } from "bun";
import { fillPlaceholders, type Peer, type Placeholders } from "../peers-file.ts";
import { removeAtExit, stopTree } from "../processes.ts";
import type { Absent, Contender, Running } from "./contender.ts";
import { callOnce, startTimed } from "./start-timed.ts";

/** LiteLLM takes half a minute on a busy machine. */
const START_TIMEOUT_MS = 120_000;
const START_POLL_MS = 10;
const STARTS_MAX = 2;
const LOG_LINES = 5;

/** Another gateway, as the peers file declares it. */
export const peerContender = (peer: Peer): Contender => ({
  name: peer.name,
  about: peer.features,
  serves: ({ dialect, keys }) => keys === undefined && (dialect === "openai" || peer.models?.[dialect] !== undefined),
  start: (upstream, times) =>
    peer.command === undefined
      ? connectPeer(peer, { upstream, address: peer.address ?? "" })
      : startPeer(peer, { upstream, command: peer.command, times: Math.min(times, STARTS_MAX) }),
});

async function connectPeer(
  peer: Peer,
  { upstream, address }: { readonly upstream: string; readonly address: string },
): Promise<Running | Absent> {
  const { port } = new URL(address);
  const values = placeholdersOf(peer, { upstream, port: Number(port || 80), folder: peer.folder });
  const running = { ...requestsOf(peer, values), port: Number(values.port), pid: peer.pid ?? null };
  try {
    await callOnce(running.port, running.headers(), peer.model);
  } catch (error) {
    return { absent: "it does not answer at its address", log: messageOf(error) };
  }
  return { ...running, stop: async () => undefined };
}

interface PeerStart {
  readonly upstream: string;
  readonly command: readonly string[];
  readonly times: number;
}

async function startPeer(peer: Peer, { upstream, command, times }: PeerStart): Promise<Running | Absent> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-bench-peer-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  removeAtExit(folder);
  const values = placeholdersOf(peer, { upstream, port: await findFreePort(), folder });
  for (const name of peer.templates ?? []) {
    const template = readFileSync(join(peer.folder, name), "utf8");
    writeFileSync(join(folder, basename(name)), fillPlaceholders(template, values));
  }
  const filled = command.map((part) => fillPlaceholders(part, values));
  if (Bun.which(filled[0] ?? "") === null) return { absent: `${basename(filled[0] ?? "")} is not installed` };
  const requests = requestsOf(peer, values);
  let child: Subprocess | null = null;
  try {
    const start = async () => {
      const spawned = spawnPeer(peer, filled, values);
      child = spawned;
      return { pid: spawned.pid, port: Number(values.port), stop: () => stopTree(spawned.pid) };
    };
    const call = (port: number) => waitForResponse(() => callOnce(port, requests.headers(), peer.model), child);
    const { started, starts } = await startTimed(times, start, call);
    const stop = async () => {
      await started.stop();
      remove();
    };
    return { ...requests, ...started, starts, stop };
  } catch (error) {
    const spawned = child as Subprocess | null;
    if (spawned !== null) await stopTree(spawned.pid);
    const log = lastLinesOf(join(folder, "log"));
    remove();
    return { absent: `it was started and ${messageOf(error)}`, log };
  }
}

/** Finds a port that is free now. */
async function findFreePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port ?? 0;
}

function placeholdersOf(
  peer: Peer,
  { upstream, port, folder }: { readonly upstream: string; readonly port: number; readonly folder: string },
): Placeholders {
  return { upstream, upstream_port: new URL(upstream).port, port: String(port), folder, peers: peer.folder };
}

function requestsOf({ model, models, headers = {}, ping }: Peer, values: Placeholders) {
  const filled = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), fillPlaceholders(value, values)]),
  );
  return {
    ...(ping === undefined ? {} : { pingPath: ping }),
    headers: () => filled,
    model: (dialect: Parameters<Running["model"]>[0]) =>
      (dialect === "openai" ? undefined : models?.[dialect]) ?? model,
  };
}

function spawnPeer({ env = {} }: Peer, command: readonly string[], values: Placeholders): Subprocess {
  const own = Object.entries(env).map(([name, value]) => [name, fillPlaceholders(value, values)]);
  const log = openSync(join(values.folder, "log"), "a");
  try {
    return Bun.spawn([...command], {
      cwd: values.folder,
      env: { ...process.env, UPSTREAM_URL: values.upstream, ...Object.fromEntries(own) },
      stdin: "ignore",
      stdout: log,
      stderr: log,
    });
  } finally {
    closeSync(log);
  }
}

/** A gateway may refuse connections or calls until it knows its upstream. */
async function waitForResponse(call: () => Promise<void>, child: Subprocess | null): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const failure = await call().then(() => null, messageOf);
    if (failure === null) return;
    const code = child?.exitCode ?? child?.signalCode ?? null;
    if (code !== null) throw new Error(`ended with ${code} before its first response`);
    if (performance.now() > deadline) throw new Error(`did not answer in ${START_TIMEOUT_MS / 1000} s: ${failure}`);
    await Bun.sleep(START_POLL_MS);
  }
}

function lastLinesOf(path: string): string {
  return readFileSync(path, { encoding: "utf8", flag: "a+" }).trim().split("\n").slice(-LOG_LINES).join("\n");
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
