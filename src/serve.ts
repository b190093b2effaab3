import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { type FirstStart, SecretMismatchError } from "./accounts/first-start.ts";
import { newKey } from "./accounts/key-format.ts";
import { renderBanner } from "./cli/banner.ts";
import type { ServeFlags } from "./cli/program.ts";
import { compose, type Service, type Surroundings } from "./compose.ts";
import type { Config } from "./config/config.ts";
import type { Fault } from "./config/fault.ts";
import { loadConfig } from "./config/load.ts";
import { renderFaults } from "./config/render-faults.ts";
import { GatewayError } from "./contract/errors.ts";
import { PROGRAM_VERSION } from "./contract/version.ts";
import { type HttpServer, listen } from "./http/server.ts";
import { systemClock } from "./lib/clock.ts";
import { probeEventLoop } from "./lib/event-loop.ts";
import { randomBase62 } from "./lib/ids.ts";
import { createLogger, type Logger } from "./lib/log.ts";
import { restartOnly } from "./restart-only.ts";
import type { ReloadReport } from "./routes/admin/reload-config.ts";
import { DataDirLockedError, lockDataDir } from "./storage/data-lock.ts";
import { openStorage } from "./storage/open.ts";
import { loadSecretFile, SECRET_FILE } from "./storage/secret-file.ts";

/** A start that cannot succeed: the message says why and what to do, without a stack. */
export class StartError extends Error {
  override readonly name = "StartError";
}

const RETRY_MS = 1_000;

/** The life of a serving process, from its flags to its exit code. */
export async function serve(flags: ServeFlags): Promise<number> {
  const env = withFlags(process.env, flags);
  const { config, warnings } = readConfig(flags.config ?? null, env);
  const log = createLogger(config.server.logLevel);
  for (const warning of warnings)
    log.warn({ file: warning.file, line: warning.line, path: warning.path }, warning.message);

  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const lock = lockDataDir(config.dataDir);
  const secrets = loadSecretFile(config.dataDir, () => ({ secret: randomBase62(43), masterKey: newKey() }));
  const storage = openStorage({
    databaseUrl: config.databaseUrl,
    dataDir: config.dataDir,
    timeoutMs: config.databaseTimeoutMs,
  });

  let draining = false;
  let server: HttpServer | null = null;
  let service: Service | null = null;
  let current = config;
  const reload = (): ReloadReport => {
    const report = reloadInto(flags.config ?? null, env, current, (next) => {
      current = next;
      service?.apply(next);
    });
    log[report.ok ? "info" : "error"](
      { ...report },
      report.ok ? "configuration reloaded" : "configuration not changed",
    );
    return report;
  };
  const surroundings: Surroundings = {
    storage,
    secret: config.keys.secret ?? secrets.secret,
    masterKey: config.keys.masterKey ?? secrets.masterKey,
    log,
    clock: systemClock,
    eventLoop: probeEventLoop(),
    isDraining: () => draining,
    pendingCalls: () => server?.pendingCalls() ?? 0,
    reload,
  };
  service = compose(config, surroundings);

  const ended = Promise.withResolvers<number>();
  const prepared = await prepareOnce(service, log);
  server = listenOrExplain(service, config);
  const announce = (first: FirstStart | null) =>
    process.stdout.write(describeStart(config, surroundings, server, first));
  announce(prepared.first);
  if (!prepared.done) {
    prepareUntilDone(service, log, () => draining)
      .then((first) => first && announce(first))
      .catch((thrown) => ended.reject(thrown));
  }

  const stop = (signal: string): void => {
    // Somebody who asks twice does not want to wait.
    if (draining) ended.resolve(1);
    draining = true;
    log.info({ signal, pendingCalls: server?.pendingCalls() }, "draining");
    server?.drain().then((finished) => {
      log.info({ finished }, "stopped");
      ended.resolve(0);
    }, ended.reject);
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  process.on("SIGHUP", reload);
  try {
    return await ended.promise;
  } finally {
    surroundings.eventLoop.stop();
    await storage.close();
    lock.release();
  }
}

/** Flags are the strongest way to say what an environment variable says. */
export function withFlags(env: NodeJS.ProcessEnv, flags: ServeFlags): Record<string, string | undefined> {
  return {
    ...env,
    ...(flags.host === undefined ? {} : { TURNPIKE_HOST: flags.host }),
    ...(flags.port === undefined ? {} : { TURNPIKE_PORT: String(flags.port) }),
    ...(flags.dataDir === undefined ? {} : { TURNPIKE_DATA_DIR: flags.dataDir }),
    ...(flags.logLevel === undefined ? {} : { TURNPIKE_LOG_LEVEL: flags.logLevel }),
    ...(flags.demo === false ? { TURNPIKE_DEMO: "false" } : {}),
  };
}

export function readConfig(
  file: string | null,
  env: Record<string, string | undefined>,
): { config: Config; warnings: readonly Fault[] } {
  const loaded = loadConfig({ file, env });
  if (loaded.ok) return loaded;
  throw new StartError(`The configuration has faults:\n\n${renderFaults(loaded.faults)}`);
}

/** A file with faults changes nothing; one without replaces what a running process can take over. */
function reloadInto(
  file: string | null,
  env: Record<string, string | undefined>,
  before: Config,
  take: (next: Config) => void,
): ReloadReport {
  const line = (fault: Fault) =>
    `${fault.file}:${fault.line ?? 0}:${fault.column ?? 0} ${fault.path}: ${fault.message}`;
  const loaded = loadConfig({ file, env });
  const warnings = loaded.warnings.map(line);
  if (!loaded.ok) {
    return {
      ok: false,
      faults: loaded.faults.map(line),
      warnings,
      needRestart: [],
      deployments: before.deployments.length,
    };
  }
  take(loaded.config);
  const needRestart = restartOnly(before, loaded.config);
  return { ok: true, faults: [], warnings, needRestart, deployments: loaded.config.deployments.length };
}

const isOutage = (thrown: unknown): boolean => thrown instanceof GatewayError && thrown.kind === "database";

async function prepareOnce(service: Service, log: Logger): Promise<{ done: boolean; first: FirstStart | null }> {
  try {
    return { done: true, first: await service.prepare() };
  } catch (thrown) {
    if (thrown instanceof SecretMismatchError) throw new StartError(thrown.message);
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
): string {
  const groups = [...new Set(config.deployments.map((deployment) => deployment.group))];
  return renderBanner({
    version: PROGRAM_VERSION,
    url: server?.url ?? "",
    dataDir: resolve(config.dataDir),
    database: outside.storage.kind === "sqlite" ? "SQLite" : "PostgreSQL",
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

export { DataDirLockedError };
