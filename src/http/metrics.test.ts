import { expect, test } from "bun:test";
import { createMetrics, type MetricSources } from "./metrics.ts";

const metrics = () =>
  createMetrics({
    version: "1",
    pendingCalls: () => 0,
    eventLoop: { listen: () => undefined } as unknown as MetricSources["eventLoop"],
  });
const linesOf = (text: string, name: string) =>
  text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`))
    .sort();

test("a group has a series of what it was given or said, and none of what it never was", async () => {
  const one = metrics();
  one.countTokens("chat", 3, 4);
  one.countTokens("chat", 3, 0);
  one.countTokens("embedding", 5, 0);
  one.countTokens("failing", 0, 0);
  const told = [
    'turnpike_tokens_total{model_group="chat",kind="input"} 6',
    'turnpike_tokens_total{model_group="chat",kind="output"} 4',
    'turnpike_tokens_total{model_group="embedding",kind="input"} 5',
  ];
  expect(linesOf(await one.render(), "turnpike_tokens_total")).toEqual(told);
  // However often somebody asks.
  expect(linesOf(await one.render(), "turnpike_tokens_total")).toEqual(told);
  const doubled = told.map((line) => line.replace(/\d+$/, (count) => String(2 * Number(count))));
  expect(linesOf(await one.render(async (own) => [own]), "turnpike_tokens_total")).toEqual(doubled);
});

test("answered calls are counted by method, path and status; methods that nobody knows are one", async () => {
  const one = metrics();
  const calls = [
    ["GET", 200],
    ["GET", 200],
    ["GET", 404],
    ["BREW", 404],
    ["get", 404],
  ] as const;
  for (const [method, status] of calls) one.observe({ method, path: "/v1/models", status, durationMs: 2 });
  const text = await one.render();
  expect(linesOf(text, "turnpike_http_requests_total")).toEqual([
    'turnpike_http_requests_total{method="GET",path="/v1/models",status="200"} 2',
    'turnpike_http_requests_total{method="GET",path="/v1/models",status="404"} 1',
    'turnpike_http_requests_total{method="other",path="/v1/models",status="404"} 2',
  ]);
  expect(text).toContain('turnpike_http_request_duration_seconds_count{path="/v1/models"} 5');
});
