import { type FirstStart, firstStart } from "../accounts/first-start.ts";
import { KeyVerifier } from "../accounts/key-verifier.ts";
import { Keys } from "../accounts/keys.ts";
import { LoginThrottle } from "../accounts/login-throttle.ts";
import { Members } from "../accounts/members.ts";
import { Organizations } from "../accounts/organizations.ts";
import { Passwords } from "../accounts/passwords.ts";
import { deriveSecrets } from "../accounts/secrets.ts";
import { SessionTokens } from "../accounts/session-tokens.ts";
import { Sessions } from "../accounts/sessions.ts";
import { Teams } from "../accounts/teams.ts";
import { Users } from "../accounts/users.ts";
import { Catalog } from "../catalog/catalog.ts";
import { offlineModels } from "../catalog/offline-models.ts";
import { PriceTable } from "../catalog/price-table.ts";
import type { Config } from "../config/config.ts";
import { API_VERSION, PROGRAM_VERSION } from "../contract/version.ts";
import type { GatewayDeps } from "../gateway/deps.ts";
import { createAuthenticate } from "../http/authenticate.ts";
import { createCors } from "../http/cors.ts";
import { createDispatcher, type Dispatcher } from "../http/dispatch.ts";
import { buildLlmsText } from "../http/llms-text.ts";
import { createMetrics } from "../http/metrics.ts";
import { buildOpenApi } from "../http/openapi.ts";
import type { Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import { Deadlines } from "../lib/deadlines.ts";
import type { EventLoopProbe } from "../lib/event-loop.ts";
import type { Logger } from "../lib/log.ts";
import { createEcho } from "../providers/echo/echo.ts";
import { createGoogleTokens } from "../providers/google-token.ts";
import { connectOnce, resolveHost } from "../providers/network.ts";
import { Reachability } from "../providers/reachability.ts";
import { createSign } from "../providers/sign.ts";
import { createTransport } from "../providers/transport.ts";
import { auditLog } from "../routes/admin/audit-log.ts";
import { type ReloadReport, reloadConfig } from "../routes/admin/reload-config.ts";
import { userRoutes } from "../routes/admin/users.ts";
import { authRoutes } from "../routes/auth/auth-routes.ts";
import { listPlatformModels } from "../routes/catalog/list-models.ts";
import { listProvidersRoute } from "../routes/catalog/list-providers.ts";
import { inferenceRoutes } from "../routes/inference/inference-routes.ts";
import { platformMessages } from "../routes/inference/platform-messages.ts";
import { keyRoutes } from "../routes/keys/key-routes.ts";
import { modelRoutes } from "../routes/models/model-routes.ts";
import { organizationRoutes } from "../routes/organizations/organization-routes.ts";
import { llmsText, openApiDocument } from "../routes/service/description.ts";
import { docsAssets, docsPage, homePage } from "../routes/service/docs-page.ts";
import { health } from "../routes/service/health.ts";
import { liveliness } from "../routes/service/liveliness.ts";
import { metrics } from "../routes/service/metrics.ts";
import { readiness } from "../routes/service/readiness.ts";
import { teamRoutes } from "../routes/teams/team-routes.ts";
import { utilityRoutes } from "../routes/utilities/utility-routes.ts";
import type { Storage } from "../storage/open.ts";
import { fallbackTables } from "./fallback-tables.ts";
import { gatewaySettings } from "./gateway-settings.ts";

/** What the world outside gives: a test hands in its own. */
export interface Surroundings {
  readonly storage: Storage;
  /** The root secret and the master key, from the configuration or the data folder. */
  readonly secret: string;
  readonly masterKey: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly eventLoop: EventLoopProbe;
  /** Before the process is ready and once it drains, calls are 503. */
  readonly isClosed: () => boolean;
  readonly pendingCalls: () => number;
  /** Reads the configuration again and applies it with `Service.apply`. */
  readonly reload: () => ReloadReport;
}

export interface Service {
  readonly routes: readonly Route[];
  readonly dispatcher: Dispatcher;
  /** Migrates and creates what the very first start creates; may be called again after a failure. */
  prepare(): Promise<FirstStart | null>;
  /** Writes what was only noted; called now and then, and before the end. Never throws. */
  flush(): Promise<void>;
  /** Prices and limits of public models; nothing waits for them. */
  loadPrices(): Promise<void>;
  /** Takes over what a running process can take over from a new configuration. */
  apply(config: Config): void;
}

const MANAGEMENT_BYTES_MAX = 1024 * 1024;

/** The one place where the parts are joined: configuration and surroundings in, a service out. Nothing here does I/O. */
export function compose(initial: Config, outside: Surroundings): Service {
  const { storage, clock, log } = outside;
  let config = initial;
  let catalog = buildCatalog(config);

  const secrets = deriveSecrets(outside.secret);
  const passwords = new Passwords();
  const keys = new KeyVerifier(storage.accounts.keys, secrets.keyPepper, outside.masterKey, clock);
  const stores = storage.accounts;
  const sessions = new Sessions({
    stores,
    passwords,
    tokens: new SessionTokens(secrets.sessionKey, clock),
    throttle: new LoginThrottle(clock),
    clock,
  });
  const keyService = new Keys({ stores, clock, verifier: keys });
  const users = new Users({ stores, passwords, clock });

  const nowMs = () => clock.nowMs();
  const tokens = createGoogleTokens({ fetch, nowMs });
  const transport = createTransport({
    locals: { echo: createEcho({ nowMs, sleep: sleepUnlessAborted }) },
    sign: createSign({ googleToken: (credentials) => tokens.accessToken(credentials), nowMs }),
    reachability: new Reachability(connectOnce, () => clock.monotonicMs()),
    resolve: resolveHost,
    fetch: (url, init) => fetch(url, init),
  });
  const prices = new PriceTable(nowMs);
  const env = (name: string) => config.environment[name] ?? process.env[name];
  const gateway: GatewayDeps = {
    catalog: () => catalog,
    settings: () => gatewaySettings(config),
    transport,
    prices,
    deadlines: new Deadlines(() => clock.monotonicMs()),
    env,
    clock,
    random: Math.random,
    log,
  };

  const registry = createMetrics({
    pendingCalls: outside.pendingCalls,
    eventLoop: outside.eventLoop,
    version: PROGRAM_VERSION,
  });

  const headerName = initial.keys.headers[0] ?? "x-gw-api-key";
  const publicUrl = initial.server.publicUrl ?? `http://${initial.server.host}:${initial.server.port}`;
  const routes: Route[] = [
    ...inferenceRoutes(gateway),
    ...modelRoutes({ ...gateway, fallbacks: () => fallbackTables(config.router) }),
    ...utilityRoutes(gateway),
    listPlatformModels(gateway),
    listProvidersRoute(gateway),
    ...authRoutes({
      sessions,
      users,
      signUp: { stores, passwords, sessions, clock, isOpen: () => config.accounts.allowSignUp },
    }),
    ...organizationRoutes({
      organizations: new Organizations({ stores, clock }),
      members: new Members({ stores, clock }),
    }),
    ...teamRoutes({ teams: new Teams({ stores, clock, forgetTeam: (teamId) => keys.forgetTeam(teamId) }) }),
    ...keyRoutes({ keys: keyService }),
    platformMessages({ gateway, keys: keyService }),
    ...userRoutes(users),
    auditLog(stores),
    reloadConfig(outside.reload),
    liveliness(),
    readiness({ pingDatabase: () => storage.ping(), isClosed: outside.isClosed }),
    health(gateway),
    metrics(registry, initial.server.metricsAccess),
    openApiDocument(() => buildOpenApi(routes, { version: API_VERSION, headerName })),
    llmsText(() => buildLlmsText(routes, publicUrl)),
    homePage(),
    docsPage(),
    docsAssets(),
  ];

  const headerPrefix = `x-${initial.keys.headerPrefix}-`;
  const dispatcher = createDispatcher(
    routes,
    { requestBytesMax: initial.server.requestBytesMax, managementBytesMax: MANAGEMENT_BYTES_MAX, headerPrefix },
    {
      authenticate: createAuthenticate(
        { key: (secret, address) => keys.verify(secret, address), session: (token) => sessions.verify(token) },
        { headers: initial.keys.headers },
      ),
      cors: createCors(initial.server.corsOrigins, headerPrefix),
      clock,
      log,
      isClosed: outside.isClosed,
      observe: (call) => registry.observe(call),
    },
  );

  return {
    routes,
    dispatcher,
    loadPrices: () => prices.load(),
    flush: () => keys.flushUsage(),
    async prepare() {
      await storage.migrate();
      return firstStart(storage.accounts, passwords, clock, {
        adminEmail: initial.admin.email,
        adminPassword: initial.admin.password,
        demo: initial.demo,
        secretFingerprint: secrets.fingerprint,
        hashKey: (key) => keys.hash(key),
      });
    },
    apply(next) {
      config = next;
      catalog = buildCatalog(next);
    },
  };
}

/** The offline models stand beside the configured ones, unless a configured group has taken the name. */
function buildCatalog(config: Config): Catalog {
  const taken = new Set(config.deployments.map((deployment) => deployment.group));
  const offline = config.demo ? offlineModels().filter((deployment) => !taken.has(deployment.group)) : [];
  const { groupAliases, router } = config;
  return new Catalog([...config.deployments, ...offline], { groupAliases, modelAliases: router.modelAliases });
}

async function sleepUnlessAborted(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  signal?.addEventListener("abort", stop, { once: true });
  try {
    await promise;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
