import { expect, test } from "bun:test";
import { Catalog } from "../../catalog/catalog.ts";
import type { KeyCaller } from "../../contract/caller.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { resolveForDryRun } from "./resolve-target.ts";

const CANARY = "canary-of-the-operator";
const deployment: Deployment = {
  id: "d",
  group: "byo",
  provider: "azure",
  upstreamModel: "m",
  apiBase: `https://operator.example/${CANARY}`,
  apiKey: CANARY,
  apiVersion: null,
  params: {
    configurable_clientside_auth_params: ["api_base", "api_key"],
    azure_ad_token: CANARY,
    organization: CANARY,
    extra_headers: { "x-proxy-auth": CANARY },
  },
  info: {},
};
const caller: KeyCaller = {
  kind: "key",
  master: true,
  keyId: "k",
  keyName: "k",
  teamId: null,
  organizationId: null,
  models: [],
  within: [],
  aliases: null,
  guardrails: [],
  tags: [],
  rpmLimit: null,
  tpmLimit: null,
  userId: null,
  standing: null,
  budgets: [],
  limits: [],
};
const deps = {
  catalog: () => new Catalog([deployment], { groupAliases: {}, modelAliases: {} }),
  settings: () => ({
    timeoutMs: 1,
    streamTimeoutMs: 1,
    dropParams: false,
    validateJsonSchema: false,
    alwaysIncludeUsage: false,
  }),
  env: () => CANARY,
  random: () => 0,
} as unknown as GatewayDeps;
const call = { caller, model: "byo", header: () => null } as unknown as InferenceCall;

test("nothing of the operator's is in a call to an address that the caller named", () => {
  const request = {
    model: "byo",
    messages: [{ role: "user", content: "x" }],
    api_base: "https://mine.example",
    api_key: "mine",
  };
  const { guarded, endpoint, provider, fields } = resolveForDryRun(deps, call, "chat", request);
  expect(guarded).toBe(true);
  expect(JSON.stringify([endpoint, fields])).not.toContain(CANARY);
  expect(endpoint.env("AZURE_AD_TOKEN")).toBeUndefined();
  const upstream = provider.chat?.encode({ ...fields } as never, endpoint);
  expect(upstream?.url).toStartWith("https://mine.example");
  expect(JSON.stringify(upstream)).not.toContain(CANARY);
});
