import { PriceTable } from "../catalog/price-table.ts";
import type { Files } from "../files/files.ts";
import { RetryBudgets } from "../gateway/attempts/retry-budget.ts";
import { Vectors } from "../gateway/cache/embedder.ts";
import type { GatewayDeps } from "../gateway/call/gateway.ts";
import { missingConfig } from "../gateway/health/missing-config.ts";
import { CallLimits } from "../gateway/limits/call-limits.ts";
import type { UpstreamBudgets } from "../gateway/routing/upstream-budgets.ts";
import type { Clock } from "../lib/clock.ts";
import { Deadlines } from "../lib/deadlines.ts";
import type { Logger } from "../lib/log.ts";
import { sleep } from "../lib/sleep.ts";
import type { Limiter } from "../limits/meter.ts";
import { createEcho } from "../providers/echo/echo.ts";
import { createEchoSockets } from "../providers/echo/realtime/sockets.ts";
import { createEntraTokens } from "../providers/entra-token.ts";
import { createGoogleTokens } from "../providers/google-token.ts";
import { connectOnce, isProxied, proxyFor, resolveHost } from "../providers/network.ts";
import { Reachability } from "../providers/reachability.ts";
import { createSign } from "../providers/sign.ts";
import { createTransport } from "../providers/transport.ts";
import { createOpenSocket } from "../providers/upstream-socket.ts";
import { judgeServices, liveGuardrails } from "./compose-guardrails.ts";
import { composeRouter } from "./compose-router.ts";
import { gatewaySettings } from "./gateway-settings.ts";
import type { LiveConfig } from "./live-config.ts";

/** What inference calls stand on: the way out to providers, prices, time limits. */
export function composeGateway(
  live: LiveConfig,
  clock: Clock,
  log: Logger,
  given: Pick<GatewayDeps, "books" | "metrics" | "cache" | "endUsers"> & {
    readonly files: Files;
    readonly limiter: Limiter;
    readonly budgets: UpstreamBudgets;
  },
): GatewayDeps {
  const { books, metrics, cache, endUsers, files, limiter, budgets } = given;
  const nowMs = () => clock.nowMs();
  const env = (name: string) => live.config.environment[name] ?? process.env[name];
  const google = createGoogleTokens({ fetch, nowMs });
  const entra = createEntraTokens({ fetch, nowMs });
  const transport = createTransport({
    locals: { echo: createEcho({ nowMs, sleep }) },
    sign: createSign({
      googleToken: (credentials) => google.accessToken(credentials),
      entraToken: (app) => entra.accessToken(app),
      nowMs,
    }),
    reachability: new Reachability(connectOnce, () => clock.monotonicMs(), isProxied),
    resolve: resolveHost,
    fetch: (url, init) => fetch(url, init),
    openSocket: createOpenSocket(proxyFor),
    localSockets: { echo: createEchoSockets() },
  });
  const prices = new PriceTable(nowMs);
  const limits = new CallLimits(
    limiter,
    () => live.config.limits,
    () => clock.monotonicMs(),
  );
  const services = judgeServices({ transport, gateway: () => gateway, clock, log });
  const vectors = new Vectors();
  const gateway: GatewayDeps = {
    catalog: () => live.catalog,
    settings: () => gatewaySettings(live.config),
    transport,
    prices,
    limits,
    endUsers,
    router: composeRouter({
      settings: () => live.config.router,
      prices,
      clock,
      random: Math.random,
      roomInMs: (deployment, facts) => limits.roomInMs(deployment, facts),
      budgetsOf: (deployment) => budgets.of(deployment),
      lacksOf: (deployment) => missingConfig(deployment, env),
    }),
    budgetsLoaded: () => budgets.known(),
    spentTag: (call) => budgets.spentTag(call),
    retryBudgets: new RetryBudgets(clock),
    sleep,
    books,
    metrics,
    cache,
    vectorOf: (call, text, deadlineMs) => vectors.of(gateway, call, text, deadlineMs),
    ownFile: (owner, id, bytesMax) => files.whole(owner, id, bytesMax),
    guardrails: liveGuardrails(() => live.config.guardrails, services),
    deadlines: new Deadlines(() => clock.monotonicMs()),
    env,
    clock,
    random: Math.random,
    log,
  };
  return gateway;
}
