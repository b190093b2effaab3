import { join, resolve } from "node:path";
import { type FirstStart, SecretMismatchError } from "../accounts/first-start.ts";
import { modeOf } from "../catalog/model-mode.ts";
import type { Config } from "../config/config.ts";
import { isDatabaseAway } from "../contract/database-away.ts";
import type { GatewayError } from "../contract/errors.ts";
import { PROGRAM_VERSION } from "../contract/version.ts";
import { shownCarrier } from "../http/credential-headers.ts";
import { type HttpServer, listen } from "../http/server.ts";
import { systemClock } from "../lib/clock.ts";
import { COMMAND } from "../lib/command-name.ts";
import { probeEventLoop } from "../lib/event-loop.ts";
import type { Logger } from "../lib/log.ts";
import type { ReloadReport } from "../routes/admin/reload-config.ts";
import { openStorage } from "../storage/open.ts";
import { SECRET_FILE } from "../storage/secret-file.ts";
import type { SqliteThreads } from "../storage/sqlite/threads.ts";
import type { Place } from "../workers/supervisor.ts";
import { renderBanner } from "./banner.ts";
import { compose } from "./compose.ts";
import { loadSecrets, lockData } from "./data-folder.ts";
import { fillBuiltins } from "./fill-builtins.ts";
import type { ServeFlags } from "./program.ts";
import { Reloader, type readConfig } from "./read-config.ts";
import type { Runtime, Service } from "./service.ts";
import { Shutdown } from "./shutdown.ts";
import { asStartError, refusalOf, StartError } from "./start-error.ts";
import type { WorkerSide } from "./worker-side.ts";

const RETRY_MS = 1_000;
const RECONCILE_MS = 3_600_000;
/** Reading the model table takes some milliseconds, and the first calls shall not wait for it; a call that needs it loads it. */
const PRICES_MS = 1_000;
const FLUSH_MS = 10_000;
/** How often it is looked who has to be topped up. */
const BILLING_MS = 10_000;
/** How soon it shows here what other processes have spent at providers. */
const BUDGETS_MS = 10_000;
const ROTATE_MS = 30_000;
const TIDY_MS = 10 * 60_000;
/** How soon a model that another process was given can be called here. */
const REFRESH_MS = 2_000;
/** How soon a run or a response is cancelled that another process was told to cancel, and taken up that another has left. */
const RUNS_MS = 1_000;
/** How often it is seen whether a deployment is due for a check. */
const CHECK_MS = 1_000;

/** How soon a row of the audit log is sealed. */
const SEAL_MS = 1_000;

export interface Serving {
  readonly flags: ServeFlags;
  readonly env: Record<string, string | undefined>;
  readonly read: ReturnType<typeof readConfig>;
  /** Null: this process is the whole server. */
  readonly worker: WorkerSide | null;
  /** Null: there is no SQLite. */
  readonly threads: SqliteThreads | null;
  readonly log: Logger;
}

/** The life of a serving process, from its configuration to its exit code. */
export async function serve({ flags, env, read, worker, threads, log }: Serving): Promise<number> {
  const { config, files } = read;
  fillBuiltins();
  // The folder of a worker is held by its supervisor.
  const lock = worker === null ? lockData(config) : null;
  const { dataDir, databaseUrl, databaseTimeoutMs } = config;
  const storage = openStorage({ databaseUrl, dataDir, timeoutMs: databaseTimeoutMs, threads });
  const eventLoop = probeEventLoop();
  let server: HttpServer | null = null;
  let starting = true;
  const speaksForAll = worker === null || worker.number === 1;
  const timers: ReturnType<typeof setInterval>[] = [];
  const shutdown = new Shutdown(log, async () => server?.drain() ?? true);
  if (worker !== null) process.on("disconnect", () => shutdown.ask("the supervisor is gone"));
  try {
    const secrets = loadSecrets(config);
    const remarks = () => [...service.storedModelProblems(), ...service.unpricedModels()];
    const reloadHere = (): ReloadReport => {
      const report = reloader.reload(remarks);
      // What can be called now: also what is stored or built in, and what a refused file has left as it was.
      const told = { ...report, deployments: service.servedDeployments() };
      log[report.ok ? "info" : "error"](told, `configuration ${report.ok ? "reloaded" : "not changed"}`);
      if (report.needRestart.length > 0) {
        log.warn({ settings: report.needRestart }, "these settings were changed and hold after a restart only");
      }
      return report;
    };
    const reload = worker?.workerBus.broadcast("reload", reloadHere) ?? reloadHere;
    const runtime: Runtime = {
      storage,
      secret: config.keys.secret ?? secrets.secret,
      masterKey: config.keys.masterKey ?? secrets.masterKey,
      log,
      clock: systemClock,
      eventLoop,
      isClosed: () => starting || shutdown.draining,
      pendingCalls: () => server?.pendingCalls() ?? 0,
      listeningPort: () => server?.port ?? null,
      isAlone: lock !== null && databaseUrl === null,
      reload,
      ...(worker ? { worker } : {}),
    };
    const service = compose(config, runtime);
    const reloader = new Reloader(flags.config ?? files[0] ?? null, env, config, (next, texts) => {
      service.apply(next);
      worker?.config.taken(texts).catch(() => undefined);
    });
    process.on("SIGHUP", reloadHere);

    const place = worker === null ? ALL_OF_IT : await worker.begin();
    if (place === null) return 0;
    const openPort = () => listenOrExplain(service, config, place);
    // The port first: what the first start makes is shown once, so nothing may fail between making and showing it.
    // Where others listen on it already it comes last: they answer the calls that this one could not yet.
    if (place.port === null) server = openPort();
    const prepared = await prepareBehind(server === null ? worker : null, service, log, () => shutdown.draining);
    server ??= openPort();
    starting = false;
    const announce = (state: Prepared) => printOut(describeStart(config, runtime, server, state));
    // Of several workers the first one greets, and whichever made what is shown once.
    if (place.port === null || prepared.first) announce(prepared);
    await worker?.serving(server.port);
    void service.hearOfChecks();
    // A reload that went round while this worker began did not reach it.
    if (worker && !Bun.deepEquals(await worker.config.last(), read.texts)) reloadHere();
    if (!prepared.done) {
      prepareUntilDone(service, log, () => shutdown.draining).then(
        (first) => first && announce({ done: true, first, refusal: null }),
        (thrown) => shutdown.fail(thrown),
      );
    }
    service.outbox.start();
    service.books.start();
    const loadPrices = async (): Promise<void> => {
      try {
        await service.loadPrices();
        // Not before: the lists are loaded late on purpose.
        if (speaksForAll) for (const { file, path, message } of remarks()) log.warn({ file, path }, message);
      } catch (thrown) {
        log.error({ err: thrown }, "the model table could not be read");
      }
    };
    timers.push(
      setTimeout(() => void loadPrices(), PRICES_MS),
      setInterval(() => void service.flush(), FLUSH_MS),
      setInterval(() => void service.refresh(), REFRESH_MS),
      setInterval(() => void service.runs.tick(), RUNS_MS),
      setInterval(() => void service.responses.tick(), RUNS_MS),
      setInterval(() => void service.indexer.tick(), RUNS_MS),
      setInterval(() => void service.batches.tick(), RUNS_MS),
      setInterval(() => void service.training.tick(), RUNS_MS),
      setInterval(() => void service.tidy(), TIDY_MS),
      setInterval(() => void service.billing.tick(), BILLING_MS),
      setInterval(() => void service.renewBudgets(), BUDGETS_MS),
      setInterval(() => void service.rotateKeys(), ROTATE_MS),
    );
    // What one worker does for all of them.
    if (speaksForAll) {
      timers.push(
        setInterval(() => void service.check(), CHECK_MS),
        setInterval(() => void service.audit.seal(), SEAL_MS),
        setInterval(() => void service.audit.reconcile(), RECONCILE_MS),
        setInterval(() => void service.books.reconcile(), RECONCILE_MS),
        setInterval(() => void service.billing.reconciliation.tick(), BILLING_MS),
      );
    }
    const code = await shutdown.ended;
    await Promise.all([
      service.runs.stop(config.server.drainTimeoutMs),
      service.responses.stop(config.server.drainTimeoutMs),
      service.indexer.stop(),
      service.batches.stop(config.server.drainTimeoutMs),
      service.realtime.stop(),
      service.training.stop(),
    ]);
    await Promise.all([service.flush(), service.outbox.stop()]);
    await service.books.stop();
    await service.audit.seal();
    await service.close();
    return code;
  } finally {
    for (const timer of timers) clearInterval(timer);
    eventLoop.stop();
    await storage.close();
    lock?.release();
  }
}

/** The place of a process that serves alone. */
const ALL_OF_IT: Place = { port: null, workers: 1 };

/** The banner is for people; nobody may be there to see it. */
function printOut(text: string): void {
  process.stdout.on("error", () => undefined);
  process.stdout.write(text);
}

interface Prepared {
  readonly done: boolean;
  readonly first: FirstStart | null;
  /** Why the database refuses the connection; null if it does not. */
  readonly refusal: string | null;
}

async function prepareOnce(service: Service, log: Logger): Promise<Prepared> {
  try {
    return { done: true, first: await service.prepare(), refusal: null };
  } catch (thrown) {
    if (thrown instanceof SecretMismatchError) throw new StartError(thrown.message);
    const code = (thrown as { code?: unknown } | null)?.code;
    if (code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT") {
      throw new StartError("The database file turnpike.db of the data folder is damaged. Put it back from a backup.");
    }
    if (!isDatabaseAway(thrown)) throw asStartError(thrown);
    log.warn(
      { err: (thrown as GatewayError).cause },
      "the database does not answer; starting without it and trying again",
    );
    return { done: false, first: null, refusal: refusalOf(thrown) };
  }
}

/**
 * A worker that is started again knows no key yet. While the database is away it leaves calls to the others, who do: here
 * each would be 503.
 */
async function prepareBehind(
  worker: Pick<WorkerSide, "othersServe"> | null,
  service: Service,
  log: Logger,
  isDraining: () => boolean,
): Promise<Prepared> {
  let prepared = await prepareOnce(service, log);
  while (!prepared.done && !isDraining() && (await worker?.othersServe())) {
    await Bun.sleep(RETRY_MS);
    prepared = await prepareOnce(service, log.child({}, { level: "error" }));
  }
  return prepared;
}

/** The database was away at the start: calls that need it are 503 until this succeeds. */
async function prepareUntilDone(service: Service, log: Logger, isDraining: () => boolean): Promise<FirstStart | null> {
  while (!isDraining()) {
    await Bun.sleep(RETRY_MS);
    const { done, first } = await prepareOnce(service, log.child({}, { level: "error" }));
    if (!done) continue;
    log.info("the database is back");
    return first;
  }
  return null;
}

function listenOrExplain(service: Service, config: Config, { port, workers }: Place): HttpServer {
  try {
    const sharing = workers > 1 ? (port === null ? "first" : "joins") : "none";
    return listen(service.dispatcher, { ...config.server, port: port ?? config.server.port, sharing });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    const where = `${config.server.host}:${config.server.port}`;
    if (code === "EADDRINUSE") throw new StartError(`${where} is in use already. Choose another port with --port.`);
    if (code === "EACCES") throw new StartError(`${where} may not be used by this user. Choose a port above 1023.`);
    throw new StartError(`Cannot listen on ${where}: ${thrown instanceof Error ? thrown.message : "unknown reason"}`);
  }
}

function describeStart(
  config: Config,
  runtime: Runtime,
  server: HttpServer | null,
  { first, done: reachable, refusal }: Prepared,
): string {
  const groups = [...new Set(config.deployments.map((deployment) => deployment.group))];
  return renderBanner({
    version: PROGRAM_VERSION,
    command: COMMAND,
    url: server?.url ?? "",
    publicUrl: config.server.publicUrl,
    keyHeader: shownCarrier(config.keys),
    dataDir: resolve(config.dataDir),
    database: describeDatabase(config, reachable, refusal),
    reachable,
    pid: runtime.worker ? process.ppid : process.pid,
    workers: config.server.workers,
    models: config.demo ? [...groups, "echo and other offline models"] : groups,
    startMs: Math.round(Date.now() - Number(process.env.TURNPIKE_STARTED_AT ?? performance.timeOrigin)),
    first: first && {
      adminEmail: first.adminEmail,
      adminPassword: first.generatedPassword,
      masterKey: config.keys.masterKey === null ? runtime.masterKey : null,
      demoKey: first.demoKey,
    },
    secretFile: config.keys.masterKey === null ? join(config.dataDir, SECRET_FILE) : null,
    demoModel: config.demo ? "echo" : null,
    chatModel: findChatModel(config),
  });
}

/** A pattern stands for models whose names nobody has told yet. */
function findChatModel({ deployments }: Config): string | null {
  const found = deployments.find(
    ({ group, info, provider, upstreamModel }) =>
      !group.includes("*") && (info.mode ?? modeOf(provider, upstreamModel)) === "chat",
  );
  return found?.group ?? null;
}

/** Where the data lies, without the password that the address may hold. */
function describeDatabase({ databaseUrl }: Config, reachable: boolean, refusal: string | null): string {
  if (databaseUrl === null) return "SQLite in the data folder";
  const { host, pathname } = new URL(databaseUrl);
  const problem = refusal === null ? "not reachable yet" : `which refuses the connection: ${refusal}`;
  return `PostgreSQL at ${host}${pathname}${reachable ? "" : `, ${problem}`}`;
}
