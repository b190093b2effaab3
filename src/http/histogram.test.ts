import { expect, test } from "bun:test";
import { Histogram, type Metric, Registry } from "@prometheus-io/client";
import { PlainHistogram } from "./histogram.ts";

const BOUNDS = [0.001, 0.01, 0.5, 10];
const OBSERVED: readonly (readonly [string, number])[] = [
  ["/v1/models", 0.0005],
  ["/v1/models", 0.001],
  ["/v1/models", 0.0011],
  ["/v1/chat/completions", 0.2],
  ["/v1/chat/completions", 10],
  ["/v1/chat/completions", 4_000],
  ["/v1/chat/completions", 0],
];

function both(): { ours: Registry; theirs: Registry } {
  const [ours, theirs] = [new Registry(), new Registry()];
  const plain = new PlainHistogram("took_seconds", "How long it took.", "path", BOUNDS);
  ours.registerMetric(plain as unknown as Metric);
  const registers = [theirs];
  const library = new Histogram({
    name: "took_seconds",
    help: "How long it took.",
    labelNames: ["path"],
    buckets: BOUNDS,
    registers,
  });
  for (const [path, value] of OBSERVED) {
    plain.of(path).observe(value);
    library.observe({ path }, value);
  }
  return { ours, theirs };
}

test("what is told is what the library's own histogram tells", async () => {
  const { ours, theirs } = both();
  expect(await ours.metrics()).toBe(await theirs.metrics());
});

test("the histograms of several processes add up as the library's do", async () => {
  const [one, other] = [both(), both()];
  const together = (registries: readonly Registry[]): Promise<string> =>
    Promise.all(registries.map((registry) => registry.getMetricsAsJSON())).then((all) =>
      Registry.aggregate(all).metrics(),
    );
  const text = await together([one.ours, other.ours]);
  expect(text).toBe(await together([one.theirs, other.theirs]));
  expect(text).toContain('took_seconds_count{path="/v1/chat/completions"} 8');
});

test("a histogram without labels reads like the library's own", async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const plain = new PlainHistogram("late_seconds", "How late.", null, BOUNDS);
  ours.registerMetric(plain as unknown as Metric);
  const library = new Histogram({ name: "late_seconds", help: "How late.", buckets: BOUNDS, registers: [theirs] });
  const series = plain.of("");
  expect(await ours.metrics()).toBe(await theirs.metrics());
  for (const value of [0.002, 20]) {
    series.observe(value);
    library.observe(value);
  }
  expect(await ours.metrics()).toBe(await theirs.metrics());
});
