import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { type CachedApp, look, startCachedApp } from "./cached-app.ts";
import { CountingUpstream } from "./counting-upstream.ts";

let place: CachedApp;
const upstream = new CountingUpstream();
afterEach(() => place.close());
afterAll(() => upstream.stop());
const deployment = (model_name: string, model: string, params: object = {}) => ({
  model_name,
  litellm_params: { model: `hosted_vllm/${model}`, api_base: upstream.url, ...params },
  model_info: { id: `${model_name}-${model}`, free: true },
});
const BY_PLACE = { router_settings: { enable_tag_filtering: true, enable_pre_call_checks: true } };
const PLACES = [
  deployment("placed", "here", { tags: ["paid"], region_name: "eu" }),
  deployment("placed", "there", { tags: ["free"], region_name: "us" }),
];
const modelsSeen = () => upstream.seen.map(({ body }) => body.model);

describe("one name that stands for several things has answers for each", () => {
  test("where a key means another model by it", async () => {
    place = await startCachedApp({}, {}, [deployment("wild/*", "*")]);
    const keys = [
      await place.newKey({ aliases: { mine: "wild/large" } }),
      await place.newKey({ aliases: { mine: "wild/small" } }),
    ];
    upstream.seen.length = 0;
    for (const key of [...keys, ...keys]) await look(await place.chat("who", { model: "mine" }, { key }));
    expect(modelsSeen()).toEqual(["large", "small"]);
  });

  test.each([
    ["tags of the request", ["paid", "free"].map((tag) => [{ tags: [tag] }, {}])],
    ["tags of a header", ["paid", "free"].map((tag) => [{}, { "x-gw-tags": tag }])],
    ["a region", ["eu", "us"].map((region) => [{}, { "x-gw-region": region }])],
  ] as [string, [object, Record<string, string>][]][])("where it goes by %s", async (name, calls) => {
    place = await startCachedApp({}, BY_PLACE, PLACES);
    upstream.seen.length = 0;
    for (const [fields, headers] of [...calls, ...calls]) {
      const response = await place.chat(name, { model: "placed", ...fields }, { headers });
      expect(response.status).toBe(200);
      await response.text();
    }
    expect(modelsSeen()).toEqual(["here", "there"]);
  });

  test("and tags that have no say in where it goes are no part of the question", async () => {
    place = await startCachedApp();
    await look(await place.chat("tagged", { tags: ["a"] }));
    expect((await look(await place.chat("tagged", { tags: ["b"] }, { headers: { "x-gw-tags": "c" } }))).hit).toBe(true);
  });
});

test("a question that has to stay in a region is not sent elsewhere to be compared by its meaning", async () => {
  const params = { type: "semantic", similarity_threshold: 0.8, embedding_model: "vectors" };
  const vectors = deployment("vectors", "vectors", { region_name: "us" });
  place = await startCachedApp(params, BY_PLACE, [...PLACES, vectors]);
  upstream.seen.length = 0;
  const ask = (region: string) =>
    place.chat("a question", { model: "placed", num_retries: 0 }, { headers: { "x-gw-region": region } });
  expect((await ask("eu")).status).toBe(200);
  expect(modelsSeen()).toEqual(["here"]);
  expect((await ask("us")).status).toBe(200);
  expect(modelsSeen()).toEqual(["here", "vectors", "there"]);
});
