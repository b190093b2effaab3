import type { Metric, Registry } from "@prometheus-io/client";
import type { EventLoopProbe } from "../lib/event-loop.ts";
import type { ObservedCall } from "./dispatch.ts";
import { type HistogramSeries, PlainHistogram } from "./histogram.ts";

export interface Metrics {
  observe(call: ObservedCall): void;
  /** Tokens as an upstream reported them; what is no count is none. */
  countTokens(group: string, input: number, output: number): void;
  /** An upstream of the group reported more tokens than its call can have used. */
  countImpossibleUsage(group: string): void;
  /** Numbers that are read whenever somebody asks. */
  watch(gauges: readonly WatchedGauge[]): void;
  /** The same with labels: a row for each series that there is at the moment. */
  watchSeries(gauges: readonly WatchedSeries[]): void;
  /** Everything as it is now, fit to be sent to another process. */
  snapshot(): Promise<MetricsSnapshot>;
  /** As text, joined with what the other workers of this server have; they are asked for it with what this one has. */
  render(others?: (own: MetricsSnapshot) => Promise<readonly MetricsSnapshot[]>): Promise<string>;
  readonly contentType: string;
}

/**
 * `over`: what the number of several workers together is; their sum where nothing is said. A `total` is a sum that only grows:
 * what a worker has counted stays in it when that one is gone.
 */
export type WatchedGauge = readonly [name: string, help: string, read: () => number, over?: Over];
export interface WatchedSeries {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: () => readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];
  readonly over: Over;
}
export type Over = "sum" | "max" | "min" | "first" | "total";
export type MetricsSnapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

type Library = typeof import("@prometheus-io/client");
type Definition = (library: Library, registers: [Registry]) => void;

/** The metrics of the process. The library is loaded with the first request for them: a start does not need it. */
class MetricList {
  private readonly definitions: Definition[] = [];
  private registry: Registry | null = null;

  define(definition: Definition): void {
    this.definitions.push(definition);
  }

  async open(): Promise<Registry> {
    const library = await import("@prometheus-io/client");
    this.registry ??= new library.Registry();
    for (const definition of this.definitions.splice(0)) definition(library, [this.registry]);
    return this.registry;
  }
}

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export interface MetricSources {
  readonly pendingCalls: () => number;
  readonly eventLoop: EventLoopProbe;
  readonly version: string;
}

/** Paths are labelled by their pattern, never by what was asked, so that the number of series has a bound. */
export function createMetrics(sources: MetricSources): Metrics {
  const list = new MetricList();
  const answered = new Map<string, Map<string, Answered>>();
  const used = new Map<string, Used>();
  const impossible = new Map<string, number>();
  // Counted here and told when somebody asks.
  list.define(({ Counter }, registers) => {
    new Counter({
      name: "turnpike_http_requests_total",
      help: "Answered HTTP requests.",
      labelNames: ["method", "path", "status"],
      registers,
      collect() {
        this.reset();
        for (const ofPath of answered.values())
          for (const { labels, count } of ofPath.values()) this.inc(labels, count);
      },
    });
  });
  const durations = new PlainHistogram(
    "turnpike_http_request_duration_seconds",
    "Time from the request to the first byte of its answer.",
    "path",
    [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
  );
  list.define((_, [registry]) => registry.registerMetric(durations as unknown as Metric));
  list.define(({ Counter }, registers) => {
    new Counter({
      name: "turnpike_tokens_total",
      help: "Tokens that upstreams reported, streamed or not.",
      labelNames: ["model_group", "kind"],
      registers,
      collect() {
        this.reset();
        for (const [group, { input, output }] of used) {
          // What a group never had is no series of it: an embedding says nothing.
          if (input > 0) this.inc({ model_group: group, kind: "input" }, input);
          if (output > 0) this.inc({ model_group: group, kind: "output" }, output);
        }
      },
    });
  });
  list.define(({ Counter }, registers) => {
    new Counter({
      name: "turnpike_impossible_usage_total",
      help: "Calls whose upstream reported more tokens than they can have used; charged by the gateway's own count.",
      labelNames: ["model_group"],
      registers,
      collect() {
        this.reset();
        for (const [group, count] of impossible) this.inc({ model_group: group }, count);
      },
    });
  });
  watched(list, [
    "turnpike_http_requests_in_flight",
    "Requests that are running, streams included.",
    sources.pendingCalls,
  ]);
  const delays = new PlainHistogram(
    "turnpike_event_loop_delay_seconds",
    "How late timers fire, because the event loop was busy.",
    null,
    [0.001, 0.0025, 0.005, 0.01, 0.015, 0.025, 0.05, 0.1, 0.25, 1],
  );
  const delay = delays.of("");
  list.define((_, [registry]) => registry.registerMetric(delays as unknown as Metric));
  sources.eventLoop.listen((delayMs) => delay.observe(delayMs / 1000));
  watched(list, ["process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss()]);
  const cpuSeconds = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  watched(list, ["process_cpu_seconds_total", "CPU time, user and system.", cpuSeconds, "total"]);
  watched(list, ["process_uptime_seconds", "Time since the process started.", () => process.uptime(), "max"]);
  watched(list, ["turnpike_workers", "Processes whose numbers these are together.", () => 1]);
  list.define(({ Gauge }, registers) => {
    const info = { name: "turnpike_build_info", help: "Always 1; the version is a label.", labelNames: ["version"] };
    new Gauge({ ...info, aggregator: "first", registers }).labels(sources.version).set(1);
  });
  const answeredOf = (method: string, path: string, status: number): Answered => {
    const ofPath = answered.get(path) ?? new Map<string, Answered>();
    if (ofPath.size === 0) answered.set(path, ofPath);
    // Methods are the caller's to choose.
    const named = KNOWN_METHODS.has(method) ? method : "other";
    // Nearly all calls are answered with 200: no text is put together for them.
    const name = status === 200 ? named : `${named} ${status}`;
    let known = ofPath.get(name);
    if (!known) {
      known = { labels: { method: named, path, status }, count: 0, durations: durations.of(path) };
      ofPath.set(name, known);
    }
    return known;
  };
  return {
    contentType: CONTENT_TYPE,
    snapshot: async () => (await list.open()).getMetricsAsJSON(),
    async render(others) {
      const registry = await list.open();
      if (others === undefined) return registry.metrics();
      const own = await registry.getMetricsAsJSON();
      const { Registry: Registries } = await import("@prometheus-io/client");
      return Registries.aggregate([own, ...(await others(own))]).metrics();
    },
    watch(gauges) {
      for (const gauge of gauges) watched(list, gauge);
    },
    watchSeries(gauges) {
      for (const series of gauges) watchedSeries(list, series);
    },
    countTokens(group, input, output) {
      let known = used.get(group);
      if (!known) {
        known = { input: 0, output: 0 };
        used.set(group, known);
      }
      if (input > 0) known.input += input;
      if (output > 0) known.output += output;
    },
    countImpossibleUsage(group) {
      impossible.set(group, (impossible.get(group) ?? 0) + 1);
    },
    observe({ method, path, status, durationMs }) {
      const known = answeredOf(method, path, status);
      known.count++;
      known.durations.observe(durationMs / 1000);
    },
  };
}

interface Answered {
  readonly labels: { readonly method: string; readonly path: string; readonly status: number };
  count: number;
  readonly durations: HistogramSeries;
}

interface Used {
  input: number;
  output: number;
}

const KNOWN_METHODS = new Set(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]);

const watched = (list: MetricList, [name, help, read, over = "sum"]: WatchedGauge): void =>
  watchedSeries(list, { name, help, labels: [], read: () => [[{}, read()]], over });

function watchedSeries(list: MetricList, { name, help, labels, read, over }: WatchedSeries): void {
  list.define(({ Counter, Gauge }, registers) => {
    const described = { name, help, labelNames: [...labels], registers };
    if (over === "total") {
      new Counter({
        ...described,
        collect() {
          this.reset();
          for (const [of, value] of read()) this.inc(of, value);
        },
      });
      return;
    }
    new Gauge({
      ...described,
      aggregator: over,
      collect() {
        this.reset();
        for (const [of, value] of read()) this.set(of, value);
      },
    });
  });
}
