import type { HealthCheckConfig } from "./config.ts";
import type { Section } from "./section.ts";

/** `background_health_checks` is true, false, or `free`: then only deployments whose calls cost nothing are called. */
export function readHealthChecks(general: Section): HealthCheckConfig {
  const field = general.field("background_health_checks");
  const onlyFree = field?.node.kind === "scalar" && field.node.text === "free";
  const all = !onlyFree && general.boolean("background_health_checks") === true;
  const seconds = general.number("health_check_interval", { min: 1 }) ?? 300;
  return {
    scope: onlyFree ? "free" : all ? "all" : null,
    intervalMs: Math.round(seconds * 1000),
    atOnce: general.number("health_check_concurrency", { integer: true, min: 1, max: 100 }) ?? 8,
  };
}
