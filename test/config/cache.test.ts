import { describe, expect, test } from "bun:test";
import { configOf, faultsOf, loadText } from "./load-text.ts";

const MODELS = "model_list: [{model_name: vectors, litellm_params: {model: echo/embedding}}]\n";
const settings = (params: string, rest = "") =>
  `${MODELS}litellm_settings: {cache: true, cache_params: {${params}}}\n${rest}`;
const REDIS = "general_settings: {redis_url: redis://cache.internal}\n";

describe("settings of the cache", () => {
  test("Redis is found by the variables that LiteLLM reads", () => {
    const env = { REDIS_HOST: "cache.internal", REDIS_PORT: "6380", REDIS_PASSWORD: "p@ss" };
    expect(configOf(settings("type: redis"), env).redisUrl).toBe("redis://:p%40ss@cache.internal:6380");
    expect(configOf(settings("type: redis"), { REDIS_URL: "redis://other:1" }).redisUrl).toBe("redis://other:1");
    expect(configOf("", env).redisUrl).toBeNull();
  });

  test("without them it is off", () => {
    expect(configOf("").cache.enabled).toBe(false);
  });

  test("switched on it keeps the usual operations in memory, for an organization, for ten minutes and for free", () => {
    expect(configOf("litellm_settings: {cache: true}").cache).toEqual({
      enabled: true,
      store: "local",
      onByDefault: true,
      ttlMs: 600_000,
      namespace: "",
      scope: "organization",
      operations: ["chat", "completion", "embedding", "moderation", "rerank"],
      bytesMax: 64 * 1024 ** 2,
      entryBytesMax: 1024 ** 2,
      hitPricePercent: 0,
      semantic: null,
    });
  });

  test.each<[string, object]>([
    ["type: redis", { store: "redis" }],
    ["mode: default_off", { onByDefault: false }],
    ["ttl: 1.5", { ttlMs: 1_500 }],
    ["namespace: my-app.1", { namespace: "my-app.1" }],
    ["scope: global", { scope: "global" }],
    [
      "supported_call_types: [acompletion, atext_completion, image_generation]",
      { operations: ["chat", "completion", "image"] },
    ],
    ["max_size_mb: 8, max_entry_kb: 16", { bytesMax: 8 * 1024 ** 2, entryBytesMax: 16 * 1024 }],
    ["hit_price_percent: 25", { hitPricePercent: 25 }],
    [
      "type: semantic, embedding_model: vectors",
      { store: "local", semantic: { threshold: 0.9, embeddingModel: "vectors", chargesEmbeddings: false } },
    ],
    [
      "type: redis-semantic, similarity_threshold: 0.8, redis_semantic_cache_embedding_model: vectors, charge_embeddings: true",
      { store: "redis", semantic: { threshold: 0.8, embeddingModel: "vectors", chargesEmbeddings: true } },
    ],
  ])("%s", (params, wanted) => {
    const result = loadText(settings(params, REDIS));
    expect(result.ok && result.config.cache).toMatchObject(wanted);
    expect(result.warnings.filter(({ path }) => path.includes("cache"))).toEqual([]);
  });

  test("say the address of Redis, where nothing else does", () => {
    expect(configOf(settings("type: redis, host: here, port: 6380, password: p@ss, db: 2")).redisUrl).toBe(
      "redis://:p%40ss@here:6380/2",
    );
    expect(configOf(settings("type: redis, url: redis://there", REDIS)).redisUrl).toBe("redis://cache.internal");
  });

  test.each([
    ["type: s3", "one of local, redis, semantic, redis-semantic"],
    ["type: redis", "the address of Redis"],
    ["type: semantic", "embedding_model"],
    ["ttl: -1", "number"],
    ["ttl: 99999999", "number"],
    ["mode: sometimes", "one of default_on, default_off"],
    ["scope: everybody", "one of organization, team, key, global"],
    ["namespace: 'a b'", "letters"],
    ["hit_price_percent: 101", "number"],
    ["similarity_threshold: 2", "number"],
    ["max_size_mb: 0", "number"],
  ])("%s is one fault", (params, words) => {
    const faults = faultsOf(loadText(settings(params)));
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toContain(words);
    expect(faults[0]?.path).toStartWith("litellm_settings.cache_params");
  });

  test.each([
    ["cache_params: {ttl: 5}", "no effect without `cache: true`"],
    ["cache: true, cache_params: {supported_call_types: [transcription]}", "`transcription` are not kept"],
    ["cache: true, cache_params: {type: semantic, embedding_model: vector}", "no model is called `vector`"],
    ["cache: true, cache_params: {s3_path: x}", "has no effect yet"],
  ])("%s is warned about", (lines, words) => {
    const result = loadText(`${MODELS}litellm_settings: {${lines}}`);
    expect(result.ok).toBe(true);
    expect(result.warnings.map(({ message }) => message).join("\n")).toContain(words);
  });
});
