import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FirstStart } from "../src/accounts/first-start.ts";
import { Passwords } from "../src/accounts/passwords.ts";
import type { Config } from "../src/config/config.ts";
import { loadConfig } from "../src/config/load.ts";
import type { Connection } from "../src/http/route.ts";
import { type Clock, systemClock } from "../src/lib/clock.ts";
import { createLogger } from "../src/lib/log.ts";
import type { ReloadReport } from "../src/routes/admin/reload-config.ts";
import type { LedgerSide } from "../src/start/call-books.ts";
import { compose } from "../src/start/compose.ts";
import type { Service } from "../src/start/service.ts";
import { openStorage, type Storage } from "../src/storage/open.ts";
import { inlineSqlite } from "./storage/inline-sqlite.ts";
import { putMigratedSqlite } from "./storage/migrated.ts";
import { PATIENT_MS } from "./storage/patience.ts";

export const MASTER_KEY = "sk-test-master-key-0123456789";

export interface TestApp {
  readonly service: Service;
  readonly storage: Storage;
  readonly dataDir: string;
  readonly first: FirstStart;
  /** Every line that was logged. */
  readonly logged: string[];
  draining: boolean;
  reload: () => ReloadReport;
  /** One call through the whole program, without a socket. */
  call(path: string, init?: CallInit): Promise<Response>;
  close(): Promise<void>;
}

export interface CallInit {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly key?: string;
  readonly json?: unknown;
  readonly body?: Bun.BodyInit;
  readonly signal?: AbortSignal;
  readonly remoteAddress?: string;
}

/** Hashing at its real cost is most of what many a test would do. */
const QUICK = { memoryCost: 8, timeCost: 1 };

export interface TestAppOptions {
  readonly ledger?: LedgerSide;
  /** Hash passwords at the cost of a real server. */
  readonly realPasswords?: boolean;
  /** Run SQLite on its own threads, so that other connections may write to the same file. */
  readonly sqliteThreads?: boolean;
}

/** The whole program over a fresh SQLite folder, or over the given database, with offline models. */
export async function startApp(
  yaml = "",
  databaseUrl: string | null = null,
  clock: Clock = systemClock,
  { ledger, realPasswords = false, sqliteThreads = false }: TestAppOptions = {},
): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), "turnpike-app-"));
  const file = join(dataDir, "test.yaml");
  const loaded = loadConfig({
    file: yaml === "" ? null : file,
    env: {
      TURNPIKE_MASTER_KEY: MASTER_KEY,
      TURNPIKE_DATA_DIR: dataDir,
      TURNPIKE_SECRET: "a-secret-for-tests-0123456789abcdef",
      // Whoever signs up can call, unless a test is about credit.
      ...(yaml.includes("signup_credits") ? {} : { TURNPIKE_SIGNUP_CREDITS: "10" }),
    },
    ...(yaml === "" ? {} : { readFile: () => yaml }),
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  if (databaseUrl === null) await putMigratedSqlite(dataDir);
  const threads = databaseUrl === null && !sqliteThreads ? inlineSqlite(dataDir, PATIENT_MS) : null;
  const storage = openStorage({ databaseUrl, dataDir, timeoutMs: PATIENT_MS, threads });
  const logged: string[] = [];
  const service = compose(yaml.includes("_per_") ? loaded.config : unhurried(loaded.config), {
    storage,
    secret: loaded.config.keys.secret ?? "",
    masterKey: MASTER_KEY,
    log: createLogger("debug", (line) => logged.push(line)),
    clock,
    eventLoop: { listen: () => undefined, stop: () => undefined },
    isClosed: () => app.draining,
    pendingCalls: () => 0,
    ...(ledger ? { ledger } : {}),
    ...(realPasswords ? {} : { passwords: new Passwords(QUICK) }),
    reload: () => app.reload(),
  });
  const app: TestApp = {
    service,
    storage,
    dataDir,
    first: { adminEmail: "", generatedPassword: null, demoKey: null },
    logged,
    draining: false,
    reload: () => ({ ok: true, faults: [], warnings: [], needRestart: [], deployments: 0 }),
    call: (path, init = {}) => service.dispatcher.handle(toRequest(path, init), toConnection(init)),
    async close() {
      const { runs, responses, indexer, batches, training, realtime } = service;
      await Promise.all([runs, responses, indexer, batches, training, realtime].map((each) => each.stop()));
      await service.books.stop();
      await service.close();
      await storage.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  const first = await service.prepare();
  service.books.start();
  return first ? Object.assign(app, { first }) : app;
}

/** Many tests call more often than a person does; those of the limit set one. */
const unhurried = (config: Config): Config => ({
  ...config,
  accounts: { ...config.accounts, signUpsPerHour: 0 },
  server: { ...config.server, managementLimits: { readsPerMinute: 0, writesPerMinute: 0 } },
});

function toRequest(path: string, init: CallInit): Request {
  const headers = new Headers(init.headers);
  if (init.key !== undefined) headers.set("authorization", `Bearer ${init.key}`);
  const body = init.json === undefined ? (init.body ?? null) : JSON.stringify(init.json);
  if (init.json !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  const method = init.method ?? (body === null ? "GET" : "POST");
  return new Request(`http://turnpike.test${path}`, { method, headers, body, signal: init.signal ?? null });
}

const toConnection = (init: CallInit): Connection => ({
  keepOpen: () => undefined,
  release: () => undefined,
  remoteAddress: init.remoteAddress ?? "127.0.0.1",
});
