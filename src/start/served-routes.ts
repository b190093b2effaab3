import type { Config } from "../config/config.ts";
import type { Route } from "../http/route.ts";
import { systemClock } from "../lib/clock.ts";
import { createLogger } from "../lib/log.ts";
import type { Storage } from "../storage/open.ts";
import { compose } from "./compose.ts";

/** All routes of our own, for who wants to look at them: nothing is opened for them, and none can be called. */
export function servedRoutes(config: Config): readonly Route[] {
  const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });
  const never = () => {
    throw new Error("these routes are only looked at");
  };
  const { routes } = compose(
    { ...config, passThroughs: [], redisUrl: null },
    {
      storage: nothing as Storage,
      secret: "",
      masterKey: "",
      log: createLogger("error", () => undefined),
      clock: systemClock,
      eventLoop: { listen: () => undefined, stop: () => undefined },
      isClosed: () => true,
      pendingCalls: () => 0,
      reload: never,
    },
  );
  return routes;
}
