import { GatewayError } from "../../contract/errors.ts";
import type { Metrics, MetricsSnapshot } from "../../http/metrics.ts";
import { text } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export type MetricsAccess = "key" | "loopback" | "public";

/** `others` gives what the other workers of this server count; undefined where there are none. */
export const metrics = (
  registry: Metrics,
  access: MetricsAccess,
  others?: (own: MetricsSnapshot) => Promise<readonly MetricsSnapshot[]>,
) =>
  route({
    method: "GET",
    paths: ["/metrics"],
    tag: "Service",
    summary: "Metrics in the Prometheus format",
    auth: access === "key" ? "admin" : "none",
    ...(access === "key" ? { scope: "metrics:read" } : {}),
    success: "text/plain",
    errors: access === "loopback" ? ["permission"] : [],
    whileDraining: true,
    async handle({ connection }) {
      if (access === "loopback" && !isLoopback(connection.remoteAddress)) {
        throw new GatewayError("permission", "Metrics are given to this machine only.");
      }
      return text(await registry.render(others), registry.contentType);
    },
  });

const isLoopback = (address: string | null): boolean =>
  address !== null && (/^(::ffff:)?127\./.test(address) || address === "::1");
