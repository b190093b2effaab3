import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const startAttempts = 5;
const readyTimeoutMs = 10_000;

export interface RedisServer {
  url: string;
  /** Connections stay open and nothing is answered, as on a host that is starved. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/**
 * A private server on a loopback port that keeps nothing; null where neither Redis nor Valkey is installed. A server that
 * was stopped comes back empty when its address is given.
 */
export async function startRedis(formerUrl?: string): Promise<RedisServer | null> {
  const program = findRedis();
  if (program === null) return null;
  let lastOutput = "";
  for (let attempt = 0; attempt < startAttempts; attempt++) {
    const started = await tryStart(program, formerUrl ? Number(new URL(formerUrl).port) : await freePort());
    if (typeof started !== "string") return started;
    lastOutput = started;
  }
  throw new Error(`${program} did not start: ${lastOutput}`);
}

export function findRedis(): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/bin", "/usr/local/bin"];
  const programs = ["redis-server", "valkey-server"].flatMap((name) => folders.map((folder) => join(folder, name)));
  return programs.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The server once it is ready, or what it said when it ended first: another process may have taken the port. */
async function tryStart(program: string, port: number): Promise<RedisServer | string> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-redis-"));
  const settings = { port: String(port), bind: "127.0.0.1", save: "", appendonly: "no", daemonize: "no", dir: folder };
  const server = Bun.spawn([program, ...Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value])], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  const killAtExit = () => {
    server.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", killAtExit);
  const stop = async () => {
    process.off("exit", killAtExit);
    server.kill("SIGKILL");
    await server.exited;
    rmSync(folder, { recursive: true, force: true });
  };

  const timer = setTimeout(() => server.kill("SIGKILL"), readyTimeoutMs);
  const decoder = new TextDecoder();
  const reader = server.stdout.getReader();
  let output = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    output += decoder.decode(read.value, { stream: true });
    if (!output.includes("Ready to accept connections")) continue;
    clearTimeout(timer);
    void drain(reader);
    return {
      url: `redis://127.0.0.1:${port}`,
      pause: () => server.kill("SIGSTOP"),
      resume: () => server.kill("SIGCONT"),
      stop,
    };
  }
  clearTimeout(timer);
  await stop();
  return output;
}

/** A server whose output nobody reads stops once the pipe is full. */
async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
