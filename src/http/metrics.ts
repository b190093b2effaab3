import AggregatorRegistry from "prom-client/lib/cluster.js";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";
import type { EventLoopProbe } from "../lib/event-loop.ts";
import type { ObservedCall } from "./dispatch.ts";

export interface Metrics {
  observe(call: ObservedCall): void;
  /** Tokens as an upstream reported them; what is no count is none. */
  countTokens(group: string, input: number, output: number): void;
  /** Numbers that are read whenever somebody asks. */
  watch(gauges: readonly WatchedGauge[]): void;
  /** Everything as it is now, fit to be sent to another process. */
  snapshot(): Promise<MetricsSnapshot>;
  /** As text, joined with what the other workers of this server have. */
  render(others: readonly MetricsSnapshot[]): Promise<string>;
  readonly contentType: string;
}

/** `over`: what the number of several workers together is; their sum where nothing is said. */
export type WatchedGauge = readonly [name: string, help: string, read: () => number, over?: Over];
export type Over = "sum" | "max" | "min" | "first";
export type MetricsSnapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

export interface MetricSources {
  readonly pendingCalls: () => number;
  readonly eventLoop: EventLoopProbe;
  readonly version: string;
}

/** Paths are labelled by their pattern, never by what was asked, so that the number of series has a bound. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const calls = new Counter({
    name: "turnpike_http_requests_total",
    help: "Answered HTTP requests.",
    labelNames: ["method", "path", "status"],
    registers,
  });
  const duration = new Histogram({
    name: "turnpike_http_request_duration_seconds",
    help: "Time from the request to the first byte of its answer.",
    labelNames: ["path"],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
    registers,
  });
  const tokens = new Counter({
    name: "turnpike_tokens_total",
    help: "Tokens that upstreams reported, streamed or not.",
    labelNames: ["model_group", "kind"],
    registers,
  });
  gauge(
    registry,
    "turnpike_http_requests_in_flight",
    "Requests that are running, streams included.",
    sources.pendingCalls,
  );
  const delay = new Histogram({
    name: "turnpike_event_loop_delay_seconds",
    help: "How late timers fire, because the event loop was busy.",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  });
  sources.eventLoop.listen((delayMs) => delay.observe(delayMs / 1000));
  gauge(registry, "process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge(registry, "process_cpu_seconds_total", "CPU time, user and system.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  gauge(registry, "process_uptime_seconds", "Time since the process started.", () => process.uptime(), "max");
  gauge(registry, "turnpike_workers", "Processes whose numbers these are together.", () => 1);
  new Gauge({
    name: "turnpike_build_info",
    help: "Always 1; the version is a label.",
    labelNames: ["version"],
    aggregator: "first",
    registers,
  })
    .labels(sources.version)
    .set(1);
  /** The series of a route, found once: putting labels together for each call costs more than counting it. */
  const answered = new Map<string, Map<string, { count: Counter.Internal; duration: Histogram.Internal<"path"> }>>();
  const used = new Map<string, { input: Counter.Internal; output: Counter.Internal }>();
  const remember = (method: string, path: string, status: number) => {
    const known = {
      count: calls.labels({ method: KNOWN_METHODS.has(method) ? method : "other", path, status }),
      duration: duration.labels({ path }),
    };
    // Methods are the caller's to choose: what is none is not remembered.
    if (KNOWN_METHODS.has(method)) {
      const ofPath = answered.get(path) ?? new Map();
      answered.set(path, ofPath.set(seriesOf(method, status), known));
    }
    return known;
  };
  return {
    contentType: registry.contentType,
    snapshot: () => registry.getMetricsAsJSON(),
    async render(others) {
      if (others.length === 0) return registry.metrics();
      return AggregatorRegistry.aggregate([await registry.getMetricsAsJSON(), ...others]).metrics();
    },
    watch(gauges) {
      for (const [name, help, read, over] of gauges) gauge(registry, name, help, read, over);
    },
    countTokens(group, input, output) {
      let known = used.get(group);
      if (!known) {
        const of = (kind: string) => tokens.labels({ model_group: group, kind });
        known = { input: of("input"), output: of("output") };
        used.set(group, known);
      }
      if (input > 0) known.input.inc(input);
      if (output > 0) known.output.inc(output);
    },
    observe({ method, path, status, durationMs }) {
      const known = answered.get(path)?.get(seriesOf(method, status)) ?? remember(method, path, status);
      known.count.inc();
      known.duration.observe(durationMs / 1000);
    },
  };
}

/** Nearly all calls are answered with 200: no text is put together for them. */
const seriesOf = (method: string, status: number): string => (status === 200 ? method : `${method} ${status}`);

const KNOWN_METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);

function gauge(registry: Registry, name: string, help: string, read: () => number, over: Over = "sum"): void {
  new Gauge({
    name,
    help,
    aggregator: over,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
