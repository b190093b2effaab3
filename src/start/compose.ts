import { join } from "node:path";
import { KeyRights } from "../accounts/key-rights.ts";
import { tellingOfCredit } from "../billing/tell-of-credit.ts";
import type { Config } from "../config/config.ts";
import { API_VERSION, PROGRAM_VERSION } from "../contract/version.ts";
import { BackgroundChecks } from "../gateway/health/background-checks.ts";
import type { KnownCheck } from "../gateway/routing/router.ts";
import { buildAgentSkill } from "../http/agent-skill.ts";
import { createAdmitAddress } from "../http/allowed-addresses.ts";
import { createAuthenticate } from "../http/authenticate.ts";
import { createReadClient } from "../http/client-address.ts";
import { createCors } from "../http/cors.ts";
import { shownCarrier } from "../http/credential-headers.ts";
import { createDispatcher } from "../http/dispatch.ts";
import { buildLlmsText } from "../http/llms-text.ts";
import { ManagementRate } from "../http/management-rate.ts";
import { createMetrics } from "../http/metrics.ts";
import { buildOpenApi } from "../http/openapi/openapi.ts";
import type { Connection, Route } from "../http/route.ts";
import { createStrictTransport } from "../http/strict-transport.ts";
import { COMMAND, publicCommand } from "../lib/command-name.ts";
import { PROGRAM_ROOT } from "../lib/program-root.ts";
import { systemTimers } from "../lib/timers.ts";
import { Outbox } from "../outbox/outbox.ts";
import { viewsOf } from "../routes/admin/deployments.ts";
import { grantCredits } from "../routes/admin/grant-credits.ts";
import { reloadConfig } from "../routes/admin/reload-config.ts";
import { verifyLedgerRoute } from "../routes/admin/verify-ledger.ts";
import { billingRoutes } from "../routes/billing/billing-routes.ts";
import { cacheRoutes } from "../routes/cache/cache-routes.ts";
import { getPlatformModel } from "../routes/catalog/get-model.ts";
import { listPlatformModels } from "../routes/catalog/list-models.ts";
import { listProvidersRoute } from "../routes/catalog/list-providers.ts";
import { limitStoring } from "../routes/files/limit-storing.ts";
import { guardrailRoutes } from "../routes/guardrails/guardrail-routes.ts";
import { idempotent } from "../routes/inference/idempotent-routes.ts";
import { inferenceRoutes } from "../routes/inference/inference-routes.ts";
import { platformMessages } from "../routes/inference/platform-messages.ts";
import { modelRoutes } from "../routes/models/model-routes.ts";
import { activity } from "../routes/openrouter/activity.ts";
import { generation } from "../routes/openrouter/generation.ts";
import { routerCredits } from "../routes/openrouter/router-credits.ts";
import { routerModels } from "../routes/openrouter/router-models.ts";
import { routerProviders } from "../routes/openrouter/router-providers.ts";
import { alsoUnderApi } from "../routes/openrouter/under-api.ts";
import { organizationStorageRoutes } from "../routes/organizations/organization-storage.ts";
import { backlog } from "../routes/service/backlog.ts";
import { DatabaseProbe } from "../routes/service/database-probe.ts";
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
import { SINGLE_PROCESS } from "../workers/worker-bus.ts";
import { bookGauges } from "./book-gauges.ts";
import { callBooks } from "./call-books.ts";
import { composeAccounts } from "./compose-accounts.ts";
import { composeAssistants } from "./compose-assistants.ts";
import { composeAudit } from "./compose-audit.ts";
import { composeBatches } from "./compose-batches.ts";
import { composeBilling } from "./compose-billing.ts";
import { composeBooks } from "./compose-books.ts";
import { composeBudgets } from "./compose-budgets.ts";
import { cacheGauges, composeCache } from "./compose-cache.ts";
import { keepFiles } from "./compose-files.ts";
import { composeGateway } from "./compose-gateway.ts";
import { judgeServices } from "./compose-guardrails.ts";
import { composeKeptAnswers } from "./compose-idempotency.ts";
import { composeLimiter } from "./compose-limiter.ts";
import { composeModels } from "./compose-models.ts";
import { composeOverload } from "./compose-overload.ts";
import { withPassThroughs } from "./compose-pass-through.ts";
import { composeRealtime } from "./compose-realtime.ts";
import { composeRedis } from "./compose-redis.ts";
import { composeResponses } from "./compose-responses.ts";
import { composeTraining } from "./compose-training.ts";
import { deploymentGauges } from "./deployment-gauges.ts";
import { fallbackTables } from "./fallback-tables.ts";
import { idempotentCreations } from "./idempotent-creations.ts";
import { LiveConfig } from "./live-config.ts";
import { publicUrlOf } from "./public-url.ts";
import { requireVerified, requireVerifiedCaller } from "./require-verified.ts";
import type { Runtime, Service } from "./service.ts";
import { storedModelProblems } from "./stored-faults.ts";
import { pruneUsage } from "./tidy-usage.ts";
import { unpricedModels } from "./unpriced-models.ts";
import { withFreshModels } from "./with-fresh-models.ts";
import { withOutageNotice } from "./with-outage-notice.ts";
import { withWorkerSync } from "./with-worker-sync.ts";

const WEB_FOLDER = join(PROGRAM_ROOT, "web/dist");
const MANAGEMENT_BYTES_MAX = 1024 * 1024;

const INTERNAL_CONNECTION: Connection = { keepOpen: () => undefined, release: () => undefined, remoteAddress: null };

/** Joins all parts of a server. Does no I/O. */
export function compose(initial: Config, runtime: Runtime): Service {
  const { storage, clock, log } = runtime;
  const workerBus = runtime.worker?.workerBus ?? SINGLE_PROCESS;
  const live = new LiveConfig(initial);
  // Asked for when it is needed: the port may not be known yet.
  const publicUrl = (): string => publicUrlOf(initial, runtime.listeningPort?.() ?? null);
  const accounts = composeAccounts(live, storage, clock, {
    ...runtime,
    publicUrl,
    workerBus,
    credited: (organizationId) => credited(organizationId),
  });
  const { pendingCalls } = runtime;
  workerBus.give("pending calls", pendingCalls);
  const load = composeOverload(live, pendingCalls, runtime.eventLoop, () => clock.monotonicMs());
  const registry = createMetrics({ pendingCalls, eventLoop: load.eventLoop, version: PROGRAM_VERSION });
  registry.watch(load.gauges);
  const upstream = composeBudgets(live, storage, runtime);
  registry.watchSeries(upstream.gauges);
  const ledger = composeBooks({
    storage,
    dataDir: initial.dataDir,
    clock,
    log,
    sync: initial.journalSync,
    isAlone: runtime.isAlone ?? false,
    forgetTeam: (teamId) => accounts.verifier.forgetTeam(teamId),
    onSettled: (ids) => upstream.budgets.settled(ids),
  });
  const credited = workerBus.broadcast("credited", (organizationId: string) => ledger.credited(organizationId));
  registry.watch(bookGauges(ledger));
  const books = callBooks(runtime.ledger ?? ledger, storage.usage, {
    clock,
    log,
    onEnd: (record) => upstream.budgets.add(record),
  });
  const audit = composeAudit(live, storage.auditChain, runtime);
  registry.watch(audit.gauges);
  const redis = composeRedis(initial.redisUrl, log);
  const cache = composeCache(live, { redis, secret: runtime.secret, clock, log });
  if (cache.store.kind === "local") {
    workerBus.broadcastMethod("cache clear", cache, "clear");
    workerBus.broadcastMethod("cache delete", cache.store, "delete");
  } else workerBus.broadcastMethod("cache begins anew", cache, "beginAnew");
  registry.watch(cacheGauges(cache));
  const limits = composeLimiter({
    redis,
    workers: runtime.worker?.limits ?? null,
    workerCount: initial.server.workers,
    secret: runtime.secret,
    clock,
  });
  registry.watch(limits.gauges);
  const kept = keepFiles(live, storage, clock, log);
  const gateway = composeGateway(live, clock, log, {
    ...{ books, metrics: registry, cache, files: kept.files, endUsers: accounts.endUserRules },
    limiter: limits.limiter,
    budgets: upstream.budgets,
  });
  registry.watchSeries(deploymentGauges(() => viewsOf(live.catalog, gateway.router)));

  const billing = composeBilling(initial.payments, {
    accounts: storage.accounts,
    stores: tellingOfCredit(storage.billing, credited),
    secret: runtime.secret,
    clock,
    log,
    configuredUrl: initial.server.publicUrl,
    publicUrl,
    transport: gateway.transport,
    mailServer: () => live.config.mail,
    forgetTeam: (teamId) => accounts.verifier.forgetTeam(teamId),
    workerBus,
    call: (request) => dispatcher.handle(request, INTERNAL_CONNECTION),
  });
  const outbox = new Outbox({
    store: storage.outbox,
    deliverers: { ...accounts.deliverers, ...billing.deliverers },
    clock,
    log,
  });

  const models = composeModels(live, storage.accounts, gateway, { secret: runtime.secret, workerBus });
  workerBus.broadcastMethod("checked", gateway.router, "noteCheck");
  workerBus.broadcastMethod("checks over", gateway.router, "forgetCheck");
  workerBus.give("checks", () => gateway.router.checks());
  const checks = new BackgroundChecks({ ...gateway, settings: () => live.config.healthChecks });
  const { verifier, sessions, keys, managementTokens, sealingKey } = accounts;
  const responses = composeResponses({ storage, quotas: kept.limits, verifier, gateway, sealingKey, clock, log });
  const reading = runtime.worker?.reading ?? null;
  const assistants = composeAssistants({ storage, kept, reading, live, verifier, gateway, clock, log });
  const inference = alsoUnderApi(inferenceRoutes(gateway, responses));
  const realtime = composeRealtime({
    gateway,
    verifier,
    callerOf: assistants.callerOf,
    sealingKey,
    carriers: initial.keys,
  });
  const batches = composeBatches({
    ...{ storage, inference, clock, log },
    files: assistants.files.files,
    callerOf: assistants.callerOf,
    overload: load.overload,
    lineBytesMax: initial.server.requestBytesMax,
  });
  const training = composeTraining(initial.training, {
    accounts: storage.accounts,
    present: (caller) => accounts.sessions.present(caller),
    stores: storage.training,
    secret: runtime.secret,
    clock,
    log,
    dataDir: initial.dataDir,
    isClosed: runtime.isClosed,
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
  const database = new DatabaseProbe(() => storage.ping(), systemTimers);
  const ready = { database, isClosed: runtime.isClosed, books: ledger.standing };
  const answered = composeKeptAnswers(storage, clock, log);
  const declared: Route[] = [
    ...idempotent(answered.deps, inference),
    ...alsoUnderApi(realtime.routes),
    ...modelRoutes({
      ...gateway,
      fallbacks: () => fallbackTables(live.config.router),
      rights: new KeyRights(storage.accounts),
      blocked: models.blocked,
    }),
    ...limitStoring([...responses.routes, ...assistants.routes, ...batches.routes], gateway.limits, kept.limits),
    ...utilityRoutes(gateway),
    ...routerModels(gateway),
    routerProviders(gateway),
    generation(usage),
    activity(usage),
    routerCredits({ stores: storage.accounts, ledger: storage.ledger }),
    listPlatformModels(gateway),
    getPlatformModel(gateway),
    listProvidersRoute(gateway),
    ...withFreshModels(
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
    ...idempotentCreations({ ...answered.deps, sealingKey }, [...accounts.routes, ...billing.routes]),
    ...usageRoutes(usage),
    ...spendRoutes({ usage, gateway, budgets: upstream.budgets }),
    ...billingRoutes({ stores: storage.accounts, ledger: storage.ledger, ...billing }),
    grantCredits(accounts.credits),
    ...organizationStorageRoutes({ stores: storage.accounts, storage: kept.limits, clock }),
    ...audit.routes,
    verifyLedgerRoute(storage.audit, () => clock.nowMs()),
    ...training.routes,
    ...idempotent(answered.deps, [platformMessages({ gateway, keys: accounts.keys })]),
    ...cacheRoutes({
      cache,
      stores: storage.accounts,
      clock,
      bytesMax: () => (cache.store.kind === "local" ? initial.cache.bytesMax : null),
    }),
    reloadConfig({ reload: runtime.reload, stores: storage.accounts, clock }),
    liveliness(),
    readiness(ready),
    readinessDetails({
      ...ready,
      cache: () => (cache.settings().enabled ? cache.store.kind : null),
      settings: initial,
    }),
    backlog(pendingCalls, () => workerBus.collect<number>("pending calls")),
    health(gateway),
    metrics(registry, initial.server.metricsAccess, runtime.worker?.metrics.others),
    openApiDocument(() => buildOpenApi(routes, description)),
    llmsText(() => buildLlmsText(routes, publicUrl(), keyHeaders)),
    agentSkill(() => buildAgentSkill(publicUrl(), keyHeaders)),
    homePage(),
    docsPage(),
    docsAssets(),
    ...uiRoutes(pages),
    ...hubRoutes(pages, gateway),
  ];
  const all = withPassThroughs(declared, initial, live, gateway);
  const verified = requireVerified(all, () => live.config.accounts.requireVerifiedEmail);
  const routes = runtime.worker ? withWorkerSync(verified, workerBus) : verified;
  runtime.worker?.metrics.give(() => registry.snapshot());

  let connected: Promise<void> | undefined;
  const rate = new ManagementRate(() => live.config.server.managementLimits, clock);
  workerBus.broadcastMethod("management rate", rate, "admit");
  const headerPrefix = `x-${initial.keys.headerPrefix}-`;
  const dispatcher = createDispatcher(
    routes,
    { requestBytesMax: initial.server.requestBytesMax, managementBytesMax: MANAGEMENT_BYTES_MAX, headerPrefix },
    {
      authenticate: createAuthenticate(
        {
          key: (secret, peer) => verifier.verify(secret, peer),
          ephemeral: (secret, peer) => realtime.callerOf(secret, peer),
          session: (token, seenAsId) => sessions.verify(token, seenAsId),
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
      bodies: load.bodies,
      rate,
      strictTransport: createStrictTransport(initial.server),
      cors: createCors(initial.server.corsOrigins, headerPrefix),
      clock,
      log,
      isClosed: runtime.isClosed,
      observe: (call) => registry.observe(call),
    },
  );

  const resuming = [assistants.desk, responses.desk, assistants.files.indexer, batches.desk, answered];
  return {
    routes,
    dispatcher,
    outbox,
    runs: assistants.desk,
    responses: responses.desk,
    indexer: assistants.files.indexer,
    batches: batches.desk,
    realtime: realtime.sessions,
    training,
    books: ledger,
    audit,
    loadPrices: () => gateway.prices.load(),
    async flush() {
      await verifier.flushUsage();
      await Promise.all([verifier.flushUsage(), ledger.flush(), answered.upkeep(), kept.limits.sumUp()]);
    },
    billing,
    refresh: () => models.stock.poll(),
    renewBudgets: () => upstream.renew(),
    rotateKeys: () => accounts.rotation.tick(),
    check: () => checks.run(),
    async hearOfChecks() {
      for (const known of await workerBus.collect<readonly KnownCheck[]>("checks")) gateway.router.takeChecks(known);
    },
    async tidy() {
      await cache.store.removeExpired();
      await storage.responses.removeExpired(clock.nowMs());
      await responses.background.tidy();
      await assistants.files.files.tidy();
      await training.tidy();
      await audit.tidy();
      const kept = () => upstream.budgets.kept();
      return pruneUsage({ usage: storage.usage, clock, days: () => live.config.usage.retentionDays, kept }, log);
    },
    async close() {
      await limits.stop();
      redis?.close();
    },
    prepare: () =>
      withOutageNotice(resuming, async () => {
        // Not only with the database: while that is away this process serves already, and a sibling may be the first to reach it.
        ledger.claim();
        connected ??= (redis?.start() ?? Promise.resolve()).then(() => limits.start());
        await Promise.all([storage.migrate(), connected]);
        const first = await accounts.firstStart(initial);
        await ledger.prepare();
        await models.stock.refresh();
        // Not later: a provider whose budget is spent gets no call after a restart either.
        await upstream.renew();
        return first;
      }),
    storedModelProblems: () => storedModelProblems(live),
    unpricedModels: () => unpricedModels(live.catalog.deployments, gateway.prices, live.config.billing.unpricedModels),
    servedDeployments: () => live.catalog.deployments.length,
    apply: (next) => live.replace(next),
  };
}
