import { join } from "node:path";
import type { FirstStart } from "../accounts/first-start.ts";
import { KeyRights } from "../accounts/key-rights.ts";
import type { RunDesk } from "../assistants/run-desk.ts";
import { tellingOfCredit } from "../billing/tell-of-credit.ts";
import type { Config } from "../config/config.ts";
import type { Fault } from "../config/fault.ts";
import { API_VERSION, PROGRAM_VERSION } from "../contract/version.ts";
import type { Indexer } from "../files/indexer.ts";
import { BackgroundChecks } from "../gateway/background-checks.ts";
import { buildAgentSkill } from "../http/agent-skill.ts";
import { createAdmitAddress } from "../http/allowed-addresses.ts";
import { createAuthenticate } from "../http/authenticate.ts";
import { createReadClient } from "../http/client-address.ts";
import { createCors } from "../http/cors.ts";
import { createDispatcher, type Dispatcher } from "../http/dispatch.ts";
import { shownCarrier } from "../http/key-carriers.ts";
import { buildLlmsText } from "../http/llms-text.ts";
import { ManagementRate } from "../http/management-rate.ts";
import { createMetrics } from "../http/metrics.ts";
import { buildOpenApi } from "../http/openapi.ts";
import type { Connection, Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import { COMMAND, publicCommand } from "../lib/command-name.ts";
import type { EventLoopProbe } from "../lib/event-loop.ts";
import type { Logger } from "../lib/log.ts";
import { PROGRAM_ROOT } from "../lib/program-root.ts";
import { Outbox } from "../outbox/outbox.ts";
import { grantCredits } from "../routes/admin/grant-credits.ts";
import { type ReloadReport, reloadConfig } from "../routes/admin/reload-config.ts";
import { verifyLedgerRoute } from "../routes/admin/verify-ledger.ts";
import { billingRoutes } from "../routes/billing/billing-routes.ts";
import { cacheRoutes } from "../routes/cache/cache-routes.ts";
import { getPlatformModel } from "../routes/catalog/get-model.ts";
import { listPlatformModels } from "../routes/catalog/list-models.ts";
import { listProvidersRoute } from "../routes/catalog/list-providers.ts";
import { guardrailRoutes } from "../routes/guardrails/guardrail-routes.ts";
import { idempotent } from "../routes/inference/idempotent-routes.ts";
import { inferenceRoutes } from "../routes/inference/inference-routes.ts";
import { platformMessages } from "../routes/inference/platform-messages.ts";
import { modelRoutes } from "../routes/models/model-routes.ts";
import { backlog } from "../routes/service/backlog.ts";
import { agentSkill, llmsText, openApiDocument } from "../routes/service/description.ts";
import { docsAssets, docsPage, homePage } from "../routes/service/docs-page.ts";
import { health } from "../routes/service/health.ts";
import { liveliness } from "../routes/service/liveliness.ts";
import { metrics } from "../routes/service/metrics.ts";
import { readiness, readinessDetails } from "../routes/service/readiness.ts";
import { spendRoutes } from "../routes/spend/spend-routes.ts";
import { hubRoutes } from "../routes/ui/hub-routes.ts";
import { uiRoutes } from "../routes/ui/ui-routes.ts";
import { WebBuild } from "../routes/ui/web-build.ts";
import { usageRoutes } from "../routes/usage/usage-routes.ts";
import { utilityRoutes } from "../routes/utilities/utility-routes.ts";
import type { Storage } from "../storage/open.ts";
import { ALONE } from "../workers/siblings.ts";
import { bookGauges } from "./book-gauges.ts";
import { callBooks, type LedgerSide } from "./call-books.ts";
import { composeAccounts } from "./compose-accounts.ts";
import { composeAssistants } from "./compose-assistants.ts";
import { type AuditUpkeep, composeAudit } from "./compose-audit.ts";
import { type Billing, composeBilling } from "./compose-billing.ts";
import { type Books, composeBooks } from "./compose-books.ts";
import { cacheGauges, composeCache } from "./compose-cache.ts";
import { composeGateway } from "./compose-gateway.ts";
import { judgeServices } from "./compose-guardrails.ts";
import { composeLimiter } from "./compose-limiter.ts";
import { composeModels } from "./compose-models.ts";
import { composeOverload } from "./compose-overload.ts";
import { composeRedis } from "./compose-redis.ts";
import { composeTraining, type Training } from "./compose-training.ts";
import { fallbackTables } from "./fallback-tables.ts";
import { idempotentCreations } from "./idempotent-creations.ts";
import { LiveConfig } from "./live-config.ts";
import { reachedAt } from "./public-url.ts";
import { renewFirst } from "./renew-first.ts";
import { requireVerified, requireVerifiedCaller } from "./require-verified.ts";
import { storedFaults } from "./stored-faults.ts";
import { sweepKept } from "./sweep-kept.ts";
import { tellSiblings } from "./tell-siblings.ts";
import { tidyUsage } from "./tidy-usage.ts";
import { unpricedModels } from "./unpriced-models.ts";
import type { WorkerSide } from "./worker-side.ts";

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
  /** Null or absent while nothing is listened on. */
  readonly listeningPort?: () => number | null;
  /** No other process uses the database: it is SQLite's, and this process holds the data folder. */
  readonly isAlone?: boolean;
  /** Where calls are admitted and written down, where it is not the installation's own. */
  readonly ledger?: LedgerSide;
  /** Where this process is one of several workers of a server. */
  readonly worker?: Pick<WorkerSide, "siblings" | "limits">;
  /** Reads the configuration again and applies it with `Service.apply`. */
  readonly reload: () => ReloadReport;
}

export interface Service {
  readonly billing: Billing;
  readonly routes: readonly Route[];
  readonly dispatcher: Dispatcher;
  /** Migrates and creates what the very first start creates; may be called again after a failure. */
  prepare(): Promise<FirstStart | null>;
  /** Writes what was only noted; called now and then, and before the end. Never throws. */
  flush(): Promise<void>;
  /** Admission, the journal and settlement; not before `start`. */
  readonly books: Books;
  /** Delivers what the outbox has; not before `start`. */
  readonly outbox: Outbox;
  /** Carries out runs of assistants; `tick` is called every second, `stop` before the books are closed. */
  readonly runs: RunDesk;
  /** Reads files into vector stores; `tick` and `stop` as for runs. */
  readonly indexer: Indexer;
  /** Carries out trainings; `tick` and `stop` as for runs. */
  readonly training: Pick<Training, "tick" | "stop">;
  /** Seals and verifies the audit log. */
  readonly audit: Pick<AuditUpkeep, "seal" | "reconcile">;
  /** Takes over what other processes have changed about stored models; called every few seconds. Never throws. */
  refresh(): Promise<void>;
  /** Gives keys a new value whose time has come; called now and then. Never throws. */
  rotateKeys(): Promise<void>;
  /** Calls deployments that are due for a check; called every few seconds. Never throws. */
  check(): Promise<void>;
  /** Takes out of the database and the cache what its time is over for; called now and then. Never throws. */
  tidy(): Promise<void>;
  /** Prices and limits of public models; nothing waits for them. */
  loadPrices(): Promise<void>;
  /** Lets go of what is connected beside the database. */
  close(): Promise<void>;
  /** What is to be said of models whose price is not known, as far as the lists are loaded. */
  unpricedModels(): readonly Fault[];
  /** What is stored and has no effect as things are. */
  storedFaults(): readonly Fault[];
  /** How many deployments can be called now, wherever they come from. */
  servedDeployments(): number;
  /** Takes over what a running process can take over from a new configuration. */
  apply(config: Config): void;
}

/** Where the pages are built to. */
const WEB_FOLDER = join(PROGRAM_ROOT, "web/dist");
const MANAGEMENT_BYTES_MAX = 1024 * 1024;

/** Of calls that the process makes to itself. */
const NO_CONNECTION: Connection = { keepOpen: () => undefined, release: () => undefined, remoteAddress: null };

/** The one place where the parts are joined: configuration and surroundings in, a service out. Nothing here does I/O. */
export function compose(initial: Config, outside: Surroundings): Service {
  const { storage, clock, log } = outside;
  const siblings = outside.worker?.siblings ?? ALONE;
  const live = new LiveConfig(initial);
  // Asked for when it is needed: the port may not be known yet.
  const publicUrl = (): string => reachedAt(initial, outside.listeningPort?.() ?? null);
  const accounts = composeAccounts(live, storage, clock, {
    ...outside,
    publicUrl,
    siblings,
    credited: (organizationId) => credited(organizationId),
  });
  const { pendingCalls } = outside;
  const load = composeOverload(live, pendingCalls, outside.eventLoop, () => clock.monotonicMs());
  const registry = createMetrics({ pendingCalls, eventLoop: load.eventLoop, version: PROGRAM_VERSION });
  registry.watch(load.gauges);
  const ledger = composeBooks({
    storage,
    dataDir: initial.dataDir,
    clock,
    log,
    sync: initial.journalSync,
    isAlone: outside.isAlone ?? false,
    forgetTeam: (teamId) => accounts.verifier.forgetTeam(teamId),
  });
  const credited = siblings.everywhere("credited", (organizationId: string) => ledger.credited(organizationId));
  registry.watch(bookGauges(ledger));
  const books = callBooks(outside.ledger ?? ledger, storage.usage, { clock, log });
  const audit = composeAudit(live, storage.auditChain, outside);
  registry.watch(audit.gauges);
  const redis = composeRedis(initial.redisUrl, log);
  const cache = composeCache(live, { redis, secret: outside.secret, clock, log });
  if (cache.store.kind === "local") {
    siblings.mirror("cache clear", cache, "clear");
    siblings.mirror("cache delete", cache.store, "delete");
  } else siblings.mirror("cache begins anew", cache, "beginAnew");
  registry.watch(cacheGauges(cache));
  const limits = composeLimiter({
    redis,
    workers: outside.worker?.limits ?? null,
    workerCount: initial.server.workers,
    secret: outside.secret,
    clock,
  });
  registry.watch(limits.gauges);
  const { countTokens } = registry;
  const gateway = composeGateway(live, clock, log, { books, countTokens, cache, limiter: limits.limiter });

  const billing = composeBilling(initial.payments, {
    accounts: storage.accounts,
    stores: tellingOfCredit(storage.billing, credited),
    secret: outside.secret,
    clock,
    log,
    configuredUrl: initial.server.publicUrl,
    publicUrl,
    transport: gateway.transport,
    mailServer: () => live.config.mail,
    forgetTeam: (teamId) => accounts.verifier.forgetTeam(teamId),
    siblings,
    call: (request) => dispatcher.handle(request, NO_CONNECTION),
  });
  const outbox = new Outbox({
    store: storage.outbox,
    deliverers: { ...accounts.deliverers, ...billing.deliverers },
    clock,
    log,
  });

  const models = composeModels(live, storage.accounts, gateway, { secret: outside.secret, siblings });
  siblings.mirror("checked", gateway.router, "noteCheck");
  siblings.mirror("checks over", gateway.router, "forgetCheck");
  const checks = new BackgroundChecks({ ...gateway, settings: () => live.config.healthChecks });
  const assistants = composeAssistants({ storage, live, verifier: accounts.verifier, gateway, clock, log });
  const training = composeTraining(initial.training, {
    accounts: storage.accounts,
    present: (caller) => accounts.sessions.present(caller),
    stores: storage.training,
    secret: outside.secret,
    clock,
    log,
    dataDir: initial.dataDir,
    isClosed: outside.isClosed,
    bodyBytesMax: initial.server.requestBytesMax,
  });
  const { headers: keyHeaders } = initial.keys;
  const description = {
    version: API_VERSION,
    headerName: keyHeaders[0] ?? "x-gw-api-key",
    takesBearerKeys: keyHeaders.includes("authorization"),
  };
  const usage = { stores: storage.accounts, keys: accounts.keys, usage: storage.usage, clock };
  const pages = {
    build: new WebBuild(WEB_FOLDER),
    facts: { keyHeader: shownCarrier(initial.keys), command: publicCommand(COMMAND) },
  };
  const ready = { pingDatabase: () => storage.ping(), isClosed: outside.isClosed, books: ledger.standing };
  const declared: Route[] = [
    ...idempotent({ answers: storage.keptAnswers, clock, log }, inferenceRoutes(gateway)),
    ...modelRoutes({
      ...gateway,
      fallbacks: () => fallbackTables(live.config.router),
      rights: new KeyRights(storage.accounts),
    }),
    ...assistants.routes,
    ...utilityRoutes(gateway),
    listPlatformModels(gateway),
    getPlatformModel(gateway),
    listProvidersRoute(gateway),
    ...renewFirst(
      [
        ...models.routes,
        ...guardrailRoutes({
          guardrails: gateway.guardrails,
          stored: models.guardrails,
          services: judgeServices({ transport: gateway.transport, gateway: () => gateway, clock, log }),
        }),
      ],
      () => models.stock.refresh(),
    ),
    ...idempotentCreations(
      { answers: storage.keptAnswers, clock, log, sealingKey: accounts.sealingKey },
      accounts.routes,
    ),
    ...usageRoutes(usage),
    ...spendRoutes({ usage, gateway }),
    ...billingRoutes({ stores: storage.accounts, ledger: storage.ledger, ...billing }),
    grantCredits(accounts.credits),
    ...audit.routes,
    verifyLedgerRoute(storage.audit, () => clock.nowMs()),
    ...billing.routes,
    ...training.routes,
    ...idempotent({ answers: storage.keptAnswers, clock, log }, [platformMessages({ gateway, keys: accounts.keys })]),
    ...cacheRoutes({
      cache,
      stores: storage.accounts,
      clock,
      bytesMax: () => (cache.store.kind === "local" ? initial.cache.bytesMax : null),
    }),
    reloadConfig({ reload: outside.reload, stores: storage.accounts, clock }),
    liveliness(),
    readiness(ready),
    readinessDetails({
      ...ready,
      cache: () => (cache.settings().enabled ? cache.store.kind : null),
      logLevel: initial.server.logLevel,
    }),
    backlog(pendingCalls),
    health(gateway),
    metrics(registry, initial.server.metricsAccess, () => siblings.collect("metrics")),
    openApiDocument(() => buildOpenApi(routes, description)),
    llmsText(() => buildLlmsText(routes, publicUrl(), keyHeaders)),
    agentSkill(() => buildAgentSkill(publicUrl(), keyHeaders)),
    homePage(),
    docsPage(),
    docsAssets(),
    ...uiRoutes(pages),
    ...hubRoutes(pages, gateway),
  ];
  const verified = requireVerified(declared, () => live.config.accounts.requireVerifiedEmail);
  const routes = outside.worker ? tellSiblings(verified, siblings) : verified;
  siblings.give("metrics", () => registry.snapshot());

  let connected: Promise<void> | undefined;
  const sweep = sweepKept(storage.keptAnswers, clock);
  const rate = new ManagementRate(() => live.config.server.managementLimits, clock);
  siblings.mirror("management rate", rate, "admit");
  const headerPrefix = `x-${initial.keys.headerPrefix}-`;
  const { verifier, sessions, keys, managementTokens } = accounts;
  const dispatcher = createDispatcher(
    routes,
    { requestBytesMax: initial.server.requestBytesMax, managementBytesMax: MANAGEMENT_BYTES_MAX, headerPrefix },
    {
      authenticate: createAuthenticate(
        {
          key: (secret, peer) => verifier.verify(secret, peer),
          session: (token) => sessions.verify(token),
          managementToken: (token, peer) => managementTokens.verify(token, peer),
          async keyOf(caller, reference, peer) {
            requireVerifiedCaller(caller, live.config.accounts.requireVerifiedEmail);
            return keys.asCaller({ caller, reference, address: peer.remoteAddress });
          },
        },
        { headers: initial.keys.headers },
        accounts.cookie,
      ),
      client: createReadClient(initial.server.trustedProxies),
      admitAddress: createAdmitAddress(() => live.config.server.allowedIps),
      overload: load.overload,
      rate,
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
    outbox,
    runs: assistants.desk,
    indexer: assistants.files.indexer,
    training,
    books: ledger,
    audit,
    loadPrices: () => gateway.prices.load(),
    async flush() {
      await verifier.flushUsage();
      await sweep();
      await Promise.all([verifier.flushUsage(), ledger.flush()]);
    },
    billing,
    refresh: () => models.stock.poll(),
    rotateKeys: () => accounts.rotation.tick(),
    check: () => checks.run(),
    async tidy() {
      await cache.store.removeExpired();
      await assistants.files.files.tidy();
      await training.tidy();
      await audit.tidy();
      return tidyUsage({ usage: storage.usage, clock, days: () => live.config.usage.retentionDays }, log);
    },
    async close() {
      await limits.stop();
      redis?.close();
    },
    async prepare() {
      connected ??= (redis?.start() ?? Promise.resolve()).then(() => limits.start());
      await Promise.all([storage.migrate(), connected]);
      const first = await accounts.firstStart(initial);
      await ledger.prepare();
      await models.stock.refresh();
      return first;
    },
    storedFaults: () => storedFaults(live),
    unpricedModels: () => unpricedModels(live.catalog.deployments, gateway.prices),
    servedDeployments: () => live.catalog.deployments.length,
    apply: (next) => live.replace(next),
  };
}
