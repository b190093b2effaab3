import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { spawn } from "bun";
import { Client } from "pg";

/** A private PostgreSQL server. It ends with the test process, however that ends. */
export interface PostgresServer {
  /** Of the database `postgres`. */
  readonly url: string;
  /** A new database, empty or a copy of one that nobody is connected to; returns its address. */
  createDatabase(template?: string): Promise<string>;
  /** Ends the server at once, without a word to its clients, as a crash would; `restart` recovers it. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** The server and every connection of it fall silent, as behind a dead network. */
  pause(): void;
  /** Only the connections that are open now fall silent; new ones are served. */
  pauseConnections(): void;
  resume(): void;
  /** Ends the server and removes its folder. */
  stop(): Promise<void>;
}

const INSTALLED = findBinaries();
const START_ATTEMPTS = 5;
/** Only the server ends during a test, never the machine, so nothing waits for the disk. No database lives long. */
const SETTINGS = [
  "listen_addresses=127.0.0.1",
  "fsync=off",
  "full_page_writes=off",
  "wal_level=minimal",
  "max_wal_senders=0",
  "autovacuum=off",
  "jit=off",
];

/** Null when tests on PostgreSQL can run, otherwise why they cannot. */
export const postgresMissing: string | null =
  INSTALLED === null
    ? "PostgreSQL tests skipped: no server installed (looked for initdb in PATH and /usr/lib/postgresql/*/bin)"
    : null;

if (postgresMissing !== null) console.warn(postgresMissing);

let shared: Promise<PostgresServer | null> | null = null;

/** One server for all tests that do not stop it. */
export function sharedPostgres(): Promise<PostgresServer | null> {
  shared ??= startPostgres();
  return shared;
}

export async function startPostgres(choosePort = freePort): Promise<PostgresServer | null> {
  if (INSTALLED === null) return null;
  const cluster = new Cluster(INSTALLED);
  await cluster.create();
  await cluster.start(choosePort);
  return cluster;
}

class Cluster implements PostgresServer {
  readonly #folder = mkdtempSync(join(tmpdir(), "turnpike-postgres-"));
  readonly #data = join(this.#folder, "data");
  #guard: ReturnType<typeof startGuard> | null = null;
  #stopped: readonly number[] = [];
  #databases = 0;
  #port = 0;

  constructor(private readonly binaries: string) {}

  get url(): string {
    return this.#urlOf("postgres");
  }

  async create(): Promise<void> {
    const account = serverAccount();
    if (account !== null) chownSync(this.#folder, account.uid, account.gid);
    const initdb = [join(this.binaries, "initdb"), "--no-sync", "--auth=trust", "--username=postgres"];
    const child = spawn([...asServerAccount(), ...initdb, "--encoding=UTF8", "--locale=C", "-D", this.#data], {
      cwd: this.#folder,
      stdout: "ignore",
      stderr: "pipe",
    });
    if ((await child.exited) !== 0) throw new Error(`initdb failed: ${await new Response(child.stderr).text()}`);
  }

  /** Another process may take a port after it was found free: then it is another one. */
  async start(choosePort: () => Promise<number>): Promise<void> {
    for (let left = START_ATTEMPTS; ; left--) {
      this.#port = await choosePort();
      try {
        return await this.restart();
      } catch (thrown) {
        if (left > 1 && String(thrown).includes("could not create any TCP/IP sockets")) continue;
        await this.stop();
        throw thrown;
      }
    }
  }

  async createDatabase(template?: string): Promise<string> {
    const name = `test_${++this.#databases}`;
    const client = new Client({ connectionString: this.url });
    await client.connect();
    await client.query(`create database ${name}${template === undefined ? "" : ` template ${template}`}`);
    await client.end();
    return this.#urlOf(name);
  }

  async restart(): Promise<void> {
    this.#guard = startGuard(this.#folder, [
      ...asServerAccount("--pdeathsig=QUIT"),
      ...[join(this.binaries, "postgres"), "-D", this.#data, "-k", this.#folder, "-p", String(this.#port)],
      ...SETTINGS.flatMap((setting) => ["-c", setting]),
    ]);
    await this.#guard.ready();
  }

  async kill(): Promise<void> {
    this.resume();
    await this.#guard?.end();
    this.#guard = null;
  }

  pause(): void {
    const postmaster = this.#postmasterPid();
    // Every backend is a process of its own; the first one stops first, so that no new ones appear.
    process.kill(postmaster, "SIGSTOP");
    this.#stopped = [postmaster, ...childrenOf(postmaster)];
    for (const pid of this.#stopped) signal(pid, "SIGSTOP");
  }

  pauseConnections(): void {
    this.#stopped = childrenOf(this.#postmasterPid()).filter(isConnection);
    for (const pid of this.#stopped) signal(pid, "SIGSTOP");
  }

  resume(): void {
    for (const pid of this.#stopped) signal(pid, "SIGCONT");
    this.#stopped = [];
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #urlOf(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}`;
  }

  #postmasterPid(): number {
    const [pid] = readFileSync(join(this.#data, "postmaster.pid"), "utf8").split("\n");
    return Number(pid);
  }
}

/**
 * A shell that outlives us just long enough to clean up, because `bun test` fires no exit event to do it in. When our
 * end of its input closes, by `end` or by our death, it ends the server; where we are gone it removes the folder too. Where it
 * is killed itself, with all that a broken-off run has begun, the system ends the server that has another account.
 */
function startGuard(folder: string, command: readonly string[]) {
  const script = `
    folder="$1"; shift
    "$@" </dev/null >&2 2>&1 &
    server=$!
    exec 2>/dev/null
    read -r word
    kill -CONT $server 2>/dev/null; kill -QUIT $server 2>/dev/null; wait $server
    [ "$word" = keep ] || rm -rf "$folder"`;
  const guard = spawn(["sh", "-c", script, "guard", folder, ...command], {
    cwd: folder,
    // In a session of its own: a signal that kills all of ours must not take the one who cleans up.
    detached: true,
    stdin: "pipe",
    stdout: "ignore",
    stderr: "pipe",
  });
  guard.unref();
  return {
    /** The log says when the server takes connections: no polling. It ends with the server, who alone writes to it. */
    async ready(): Promise<void> {
      const decoder = new TextDecoder();
      let log = "";
      const reader = guard.stderr.getReader();
      while (!log.includes("database system is ready to accept connections")) {
        const { done, value } = await reader.read();
        if (done) {
          await this.end();
          throw new Error(`PostgreSQL did not start: ${log}`);
        }
        log += decoder.decode(value, { stream: true });
      }
      // Read on, or the server would block on a full pipe.
      void drain(reader);
    },
    async end(): Promise<void> {
      guard.stdin.write("keep\n");
      await guard.stdin.end();
      await guard.exited;
    },
  };
}

async function drain(reader: { read(): Promise<{ done: boolean }> }): Promise<void> {
  while (!(await reader.read()).done);
}

function findBinaries(): string | null {
  const onPath = Bun.which("initdb");
  if (onPath !== null && existsSync(join(dirname(onPath), "postgres"))) return dirname(onPath);
  const root = "/usr/lib/postgresql";
  if (!existsSync(root)) return null;
  const folders = readdirSync(root).map((version) => join(root, version, "bin"));
  return folders.findLast((folder) => existsSync(join(folder, "initdb"))) ?? null;
}

/** PostgreSQL refuses to run as root; its package brings an account for it. */
function serverAccount(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const line = readFileSync("/etc/passwd", "utf8").match(/^postgres:[^:]*:(\d+):(\d+):/m);
  if (line === null) throw new Error("running as root and there is no `postgres` account to run the server as");
  return { uid: Number(line[1]), gid: Number(line[2]) };
}

function asServerAccount(...further: string[]): readonly string[] {
  const account = serverAccount();
  if (account === null) return [];
  return ["setpriv", `--reuid=${account.uid}`, `--regid=${account.gid}`, "--clear-groups", ...further, "--"];
}

function childrenOf(pid: number): readonly number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return list.split(" ").filter(Boolean).map(Number);
}

/** A backend shows the address of its client in its title; the helpers of the server have none. */
function isConnection(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("127.0.0.1(");
  } catch {
    // A worker of the server's own that has ended since it was listed.
    return false;
  }
}

/** The server ends and starts processes of its own at any time. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "ESRCH") throw thrown;
  }
}

function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject()));
  });
  return promise;
}
