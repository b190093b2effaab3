import { expect, test } from "bun:test";
import type { Deployment } from "../../contract/deployment.ts";
import { pickDeployment } from "./pick.ts";

const deployment = (id: string, params: Record<string, unknown> = {}): Deployment => ({
  id,
  group: "g",
  provider: "echo",
  upstreamModel: "chat",
  apiBase: null,
  apiKey: null,
  apiVersion: null,
  params,
  info: {},
});

const shares = (deployments: Deployment[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (let step = 0; step < 300; step++) {
    const id = pickDeployment(deployments, step / 300)?.id ?? "none";
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
};

test.each([
  ["no share", [deployment("a"), deployment("b"), deployment("c")], { a: 100, b: 100, c: 100 }],
  ["weights", [deployment("a", { weight: 2 }), deployment("b", { weight: 1 })], { a: 200, b: 100 }],
  ["requests a minute", [deployment("a", { rpm: 10 }), deployment("b", { rpm: 20 })], { a: 100, b: 200 }],
  ["a weight of zero", [deployment("a", { weight: 1 }), deployment("b", { weight: 0 })], { a: 300 }],
  ["nothing to choose from", [], { none: 300 }],
])("calls are shared by %s", (_, deployments, expected) => {
  expect(shares(deployments)).toEqual(expected);
});
