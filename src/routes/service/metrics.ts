import { GatewayError } from "../../contract/errors.ts";
import type { Metrics } from "../../http/metrics.ts";
import { text } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export type MetricsAccess = "key" | "loopback" | "public";

export const metrics = (registry: Metrics, access: MetricsAccess) =>
  route({
    method: "GET",
    paths: ["/metrics"],
    tag: "Service",
    summary: "Metrics in the Prometheus format",
    auth: access === "key" ? "admin" : "none",
    success: "text/plain",
    errors: access === "loopback" ? ["permission"] : [],
    whileDraining: true,
    async handle({ connection }) {
      if (access === "loopback" && !isLoopback(connection.remoteAddress)) {
        throw new GatewayError("permission", "Metrics are given to this machine only.");
      }
      return text(await registry.render(), registry.contentType);
    },
  });

const isLoopback = (address: string | null): boolean =>
  address !== null && (/^(::ffff:)?127\./.test(address) || address === "::1");
