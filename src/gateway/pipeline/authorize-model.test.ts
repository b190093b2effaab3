import { expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../../test/property-runs.ts";
import { Catalog } from "../../catalog/catalog.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import type { Deployment } from "../../contract/deployment.ts";
import { findForCaller, mayCall, resolveForCaller } from "./authorize-model.ts";

const deployment = (group: string, access_groups: string[] = []): Deployment => ({
  id: `id-${group}`,
  group,
  provider: "openai",
  upstreamModel: group,
  apiBase: null,
  apiKey: null,
  apiVersion: null,
  params: {},
  info: { access_groups },
});
const catalog = new Catalog([
  deployment("fast", ["beta"]),
  deployment("slow", ["beta", "gamma"]),
  deployment("alone"),
  deployment("openai/*"),
]);
const caller = (
  models: readonly string[],
  within: readonly (readonly string[])[] = [],
  aliases: Record<string, string> | null = null,
): KeyCaller => ({
  kind: "key",
  master: false,
  keyId: "k",
  keyName: "k",
  teamId: "t",
  organizationId: "o",
  models,
  within,
  aliases,
  guardrails: [],
  tags: [],
  rpmLimit: null,
  tpmLimit: null,
  userId: null,
  standing: null,
  budgets: [],
  limits: [],
});

const name = fc.constantFrom("fast", "slow", "alone", "openai/gpt-4o", "openai/o3");
const entry = fc.constantFrom(
  ...["fast", "slow", "alone", "beta", "gamma", "openai/*", "openai/gpt-*", "*", "f*", "none"],
  ...["all-proxy-models", "no-default-models"],
);
const list = fc.array(entry, { maxLength: 3 });

test("a key may call exactly what its own list, its team's and its organization's allow, each by itself", () => {
  fc.assert(
    fc.property(list, list, list, name, (key, team, organization, model) => {
      const group = model.startsWith("openai/") ? "openai/*" : model;
      const allowed = (one: readonly string[]) => mayCall(catalog, caller(one), model, group);
      const all = mayCall(catalog, caller(key, [team, organization]), model, group);
      expect(all).toBe(allowed(key) && allowed(team) && allowed(organization));
    }),
    { numRuns: runs(2_000) },
  );
});

test.each([
  [["beta"], ["fast", "slow"]],
  [["gamma"], ["slow"]],
  [["openai/gpt-*"], ["openai/gpt-4o"]],
  [["*"], ["fast", "slow", "alone", "openai/gpt-4o"]],
  [["all-team-models"], ["fast", "slow", "alone", "openai/gpt-4o"]],
  [["no-default-models"], []],
  [[], ["fast", "slow", "alone", "openai/gpt-4o"]],
])("the list %p allows %p", (models, allowed) => {
  const seen = ["fast", "slow", "alone", "openai/gpt-4o"].filter(
    (one) => findForCaller(catalog, caller(models), one).length > 0,
  );
  expect(seen).toEqual(allowed);
});

test("a name of the caller's own leads to its model, within what may be called", () => {
  const own = { ours: "fast", hidden: "alone", fast: "slow", nowhere: "none" };
  const group = (models: string[], asked: string) =>
    resolveForCaller(catalog, caller(models, [], own), asked)[0]?.group;
  expect(group([], "ours")).toBe("fast");
  expect(group([], "fast")).toBe("slow");
  expect(group(["beta"], "ours")).toBe("fast");
  expect(group(["hidden"], "hidden")).toBe("alone");
  expect(() => group(["beta"], "hidden")).toThrow("may not call");
  expect(() => group([], "nowhere")).toThrow("does not exist");
  expect(() => group([], "constructor")).toThrow("does not exist. GET /v1/models lists those that do.");
});
