import { afterEach, expect, test } from "bun:test";
import { loadText } from "../config/load-text.ts";
import { status } from "../upstreams/moody.ts";
import { type Balanced, balance } from "./balanced.ts";

let group: Balanced;
afterEach(() => group?.stop());

/** A model is called by its own name, and a pattern serves it. */
const behind = { group: "openai/*", params: { model: "openai/*", api_key: "k" } };
const CALLED = { model: "openai/gpt-4o" };

test.each(["openai/gpt-4o", "openai/*"])(
  "a retry policy of %s holds for the model behind the pattern",
  async (name) => {
    const none = { InternalServerErrorRetries: 0 };
    group = await balance({ a: behind, b: behind }, { num_retries: 1, model_group_retry_policy: { [name]: none } });
    group.set(status(500));
    expect(await group.served(CALLED)).toBe(502);
    expect((group.upstreams.a?.calls ?? 0) + (group.upstreams.b?.calls ?? 0)).toBe(1);
  },
);

test.each(["openai/gpt-4o", "openai/*"])("a strategy of %s holds for the model behind the pattern", async (name) => {
  const routing_groups = [{ models: [name], routing_strategy: "usage-based-routing-v2" }];
  group = await balance({ a: behind, b: behind, c: behind }, { routing_strategy: "simple-shuffle", routing_groups });
  expect(await group.count(12, CALLED)).toEqual({ a: 4, b: 4, c: 4 });
});

test.each(["gpt-4o", "openai/gpt-4o", "openai/*"])(
  "a list for %s is used, and nobody is told otherwise",
  async (name) => {
    const router = { num_retries: 0, fallbacks: [{ [name]: ["b"] }] };
    group = await balance({ a: behind, b: { group: "b" } }, router);
    group.set(status(500), "a");
    expect(await group.served(CALLED)).toBe("b");
    const { warnings } = loadText(
      JSON.stringify({
        model_list: [
          { model_name: "openai/*", litellm_params: { model: "openai/*", api_key: "k" } },
          { model_name: "b", litellm_params: { model: "openai/b", api_key: "k" } },
        ],
        router_settings: router,
      }),
    );
    expect(warnings).toEqual([]);
  },
);

test("a list for what a model is upstream is used, one for what is nowhere is warned about", () => {
  const { warnings } = loadText(`model_list: [{model_name: a, litellm_params: {model: openai/gpt-4o, api_key: k}}]
router_settings: {fallbacks: [{gpt-4o: [a]}, {nowhere: [a]}]}
`);
  expect(warnings.map(({ message }) => message)).toEqual(["no model is called `nowhere`, so this list is never used"]);
});

test("rules for models that nobody can call are warned about", () => {
  const { warnings } = loadText(`model_list: [{model_name: "openai/*", litellm_params: {model: openai/*, api_key: k}}]
router_settings:
  model_group_retry_policy: {openai/gpt-4o: {TimeoutErrorRetries: 1}, nowhere: {TimeoutErrorRetries: 1}}
  routing_groups: [{models: [openai/gpt-4o, nowhere], routing_strategy: least-busy}]
`);
  expect(warnings.map(({ line, path, message }) => [line, path, message])).toEqual([
    [
      3,
      "router_settings.model_group_retry_policy.nowhere",
      "no model is called `nowhere`, so this policy is never used",
    ],
    [4, "router_settings.routing_groups[0].models[1]", "no model is called `nowhere`"],
  ]);
});
