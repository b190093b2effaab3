import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type FirstStart, SecretMismatchError } from "../accounts/first-start.ts";
import { newKey } from "../accounts/key-format.ts";
import type { Config } from "../config/config.ts";
import { GatewayError } from "../contract/errors.ts";
import { PROGRAM_VERSION } from "../contract/version.ts";
import { type HttpServer, listen } from "../http/server.ts";
import { systemClock } from "../lib/clock.ts";
import { probeEventLoop } from "../lib/event-loop.ts";
import { randomBase62 } from "../lib/ids.ts";
import { createLogger, type Logger } from "../lib/log.ts";
import type { ReloadReport } from "../routes/admin/reload-config.ts";
import { DataDirLockedError, lockDataDir } from "../storage/data-lock.ts";
import { openStorage } from "../storage/open.ts";
import { loadSecretFile, SECRET_FILE } from "../storage/secret-file.ts";
import { renderBanner } from "./banner.ts";
import { compose, type Service, type Surroundings } from "./compose.ts";
import type { ServeFlags } from "./program.ts";
import { Reloader, readConfig, StartError, withFlags } from "./read-config.ts";
import { Shutdown } from "./shutdown.ts";

const RETRY_MS = 1_000;
const RECONCILE_MS = 3_600_000;
const FLUSH_MS = 10_000;
/** How often it is looked who has to be topped up. */
const BILLING_MS = 10_000;
const TIDY_MS = 10 * 60_000;
/** How soon a model that another process was given can be called here. */
const REFRESH_MS = 2_000;
/** How often it is seen whether a deployment is due for a check. */
const CHECK_MS = 1_000;

/** The life of a serving process, from its flags to its exit code. */
export async function serve(flags: ServeFlags): Promise<number> {
  const env = withFlags(process.env, flags);
  const { config, warnings, files } = readConfig(flags.config ?? null, env);
  const log = createLogger(config.server.logLevel);
  for (const { file, line, path, message } of warnings) log.warn({ file, line, path }, message);

  const lock = inWords(`The data folder ${resolve(config.dataDir)} cannot be used`, () => {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
    return lockDataDir(config.dataDir);
  });
  const { dataDir, databaseUrl, databaseTimeoutMs } = config;
  const storage = openStorage({ databaseUrl, dataDir, timeoutMs: databaseTimeoutMs });
  const eventLoop = probeEventLoop();
  let server: HttpServer | null = null;
  let starting = true;
  const timers: ReturnType<typeof setInterval>[] = [];
  const shutdown = new Shutdown(log, async () => server?.drain() ?? true);
  try {
    const secrets = inWords(`${join(dataDir, SECRET_FILE)} cannot be used`, () =>
      loadSecretFile(dataDir, () => ({ secret: randomBase62(43), masterKey: newKey() })),
    );
    const reload = (): ReloadReport => {
      const report = reloader.reload();
      log[report.ok ? "info" : "error"]({ ...report }, `configuration ${report.ok ? "reloaded" : "not changed"}`);
      return report;
    };
    const outside: Surroundings = {
      storage,
      secret: config.keys.secret ?? secrets.secret,
      masterKey: config.keys.masterKey ?? secrets.masterKey,
      log,
      clock: systemClock,
      eventLoop,
      isClosed: () => starting || shutdown.draining,
      pendingCalls: () => server?.pendingCalls() ?? 0,
      reload,
    };
    const service = compose(config, outside);
    const reloader = new Reloader(flags.config ?? files[0] ?? null, env, config, (next) => service.apply(next));
    process.on("SIGHUP", reload);

    // The port first: what the first start makes is shown once, so nothing may fail between making and showing it.
    server = listenOrExplain(service, config);
    const prepared = await prepareOnce(service, log);
    starting = false;
    const announce = (first: FirstStart | null, reachable: boolean) =>
      printOut(describeStart(config, outside, server, first, reachable));
    announce(prepared.first, prepared.done);
    service.loadPrices().catch((thrown) => log.error({ err: thrown }, "the price lists could not be read"));
    if (!prepared.done) {
      prepareUntilDone(service, log, () => shutdown.draining).then(
        (first) => first && announce(first, true),
        (thrown) => shutdown.fail(thrown),
      );
    }
    service.outbox.start();
    service.books.start();
    timers.push(
      setInterval(() => void service.flush(), FLUSH_MS),
      setInterval(() => void service.refresh(), REFRESH_MS),
      setInterval(() => void service.check(), CHECK_MS),
      setInterval(() => void service.tidy(), TIDY_MS),
      setInterval(() => void service.billing.tick(), BILLING_MS),
      setInterval(() => void service.books.reconcile(), RECONCILE_MS),
    );
    const code = await shutdown.ended;
    await Promise.all([service.flush(), service.outbox.stop()]);
    await service.books.stop();
    await service.close();
    return code;
  } finally {
    for (const timer of timers) clearInterval(timer);
    eventLoop.stop();
    await storage.close();
    lock.release();
  }
}

/** What the operator can mend is said in a sentence, without a stack. */
function inWords<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof DataDirLockedError || thrown instanceof StartError) throw thrown;
    throw new StartError(`${what}: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
}

/** The banner is for people; nobody may be there to see it. */
function printOut(text: string): void {
  process.stdout.on("error", () => undefined);
  process.stdout.write(text);
}

const isOutage = (thrown: unknown): boolean => thrown instanceof GatewayError && thrown.kind === "database";

async function prepareOnce(service: Service, log: Logger): Promise<{ done: boolean; first: FirstStart | null }> {
  try {
    return { done: true, first: await service.prepare() };
  } catch (thrown) {
    if (thrown instanceof SecretMismatchError) throw new StartError(thrown.message);
    const code = (thrown as { code?: unknown } | null)?.code;
    if (code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT") {
      throw new StartError("The database file turnpike.db of the data folder is damaged. Put it back from a backup.");
    }
    if (!isOutage(thrown)) throw thrown;
    log.warn(
      { err: (thrown as GatewayError).cause },
      "the database does not answer; starting without it and trying again",
    );
    return { done: false, first: null };
  }
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

function listenOrExplain(service: Service, config: Config): HttpServer {
  try {
    return listen(service.dispatcher, config.server);
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
  outside: Surroundings,
  server: HttpServer | null,
  first: FirstStart | null,
  reachable: boolean,
): string {
  const groups = [...new Set(config.deployments.map((deployment) => deployment.group))];
  return renderBanner({
    version: PROGRAM_VERSION,
    url: server?.url ?? "",
    dataDir: resolve(config.dataDir),
    database: describeDatabase(config, reachable),
    pid: process.pid,
    models: config.demo ? [...groups, "echo and other offline models"] : groups,
    startMs: Math.round(Date.now() - Number(process.env.TURNPIKE_STARTED_AT ?? performance.timeOrigin)),
    first: first && {
      adminEmail: first.adminEmail,
      adminPassword: first.generatedPassword,
      masterKey: config.keys.masterKey === null ? outside.masterKey : null,
      demoKey: first.demoKey,
    },
    secretFile: config.keys.masterKey === null ? join(config.dataDir, SECRET_FILE) : null,
    demoModel: config.demo ? "echo" : null,
  });
}

/** Where the data lies, without the password that the address may hold. */
function describeDatabase({ databaseUrl }: Config, reachable: boolean): string {
  if (databaseUrl === null) return "SQLite in the data folder";
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host}${pathname}${reachable ? "" : ", not reachable yet"}`;
}
