import { afterEach, describe, expect, test } from "bun:test";
import { MASTER_KEY, startApp, type TestApp } from "../app.ts";
import { configOf } from "../config/load-text.ts";
import { type Mood, Moody, status, WELL } from "../upstreams/moody.ts";

/** So long is waited for before the same place is tried again: time to change something meanwhile. */
const BUSY: Mood = status(500, { retryAfter: "0.3" });

let stop: (() => Promise<unknown>) | null = null;
afterEach(async () => {
  await stop?.();
  stop = null;
});

/** A call of a group, as soon as the first deployment has it: `g` has those that are named, and `spare` is a group of its own. */
async function begin(names: readonly string[], mood: Mood, router: object = {}) {
  const upstreams = Object.fromEntries(["first", "second", "third", "spare"].map((name) => [name, new Moody(name)]));
  const entry = (id: string, index: number) => ({
    model_name: id === "spare" ? "spare" : "g",
    litellm_params: { model: "hosted_vllm/m", api_base: upstreams[id]?.address, order: index },
    model_info: { id, free: true },
  });
  const router_settings = { disable_cooldowns: true, timeout: 1, ...router };
  const yaml = (listed: readonly string[]) =>
    JSON.stringify({ model_list: [...listed, "spare"].map(entry), router_settings });
  const app: TestApp = await startApp(yaml(names));
  stop = async () => {
    await app.close();
    await Promise.all(Object.values(upstreams).map((upstream) => upstream.stop()));
  };
  Object.assign(upstreams.first ?? {}, { mood });
  const json = { model: "g", messages: [{ role: "user", content: "who?" }] };
  const sent = app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  const failures = async () => {
    const described = await app.call("/api/admin/deployments?group=g", { key: MASTER_KEY });
    return ((await described.json()) as { data: { failures: number }[] }).data[0]?.failures ?? 0;
  };
  // One that answers has failed before anything is changed, and the call waits; one that hangs has the call.
  while (mood === BUSY ? (await failures()) === 0 : upstreams.first?.calls === 0) await Bun.sleep(1);
  return {
    app,
    first: upstreams.first as Moody,
    reload: (listed: readonly string[]) => app.service.apply(configOf(yaml(listed))),
    /** Who answered, or what was said where nobody did; and whom it was asked of, how often. */
    async ended() {
      const response = await sent;
      const { error } = (await response.json()) as { error?: { message: string } };
      const calls = Object.entries(upstreams).flatMap(([name, upstream]) => Array(upstream.calls).fill(name));
      return [error?.message ?? response.headers.get("x-gw-model-id"), calls];
    },
  };
}

describe("a call that waits before it is tried again", () => {
  test("goes to what a reload has put there, and not to what it has taken out", async () => {
    const { reload, ended } = await begin(["first"], BUSY);
    reload(["second"]);
    expect(await ended()).toEqual(["second", ["first", "second"]]);
  });

  test("is tried again where a reload has left its deployment as it was", async () => {
    const { first, reload, ended } = await begin(["first"], BUSY);
    first.mood = WELL;
    reload(["first"]);
    expect(await ended()).toEqual(["first", ["first", "first"]]);
  });

  test("goes to who stands in where a reload has left nothing of its group", async () => {
    const { reload, ended } = await begin(["first"], BUSY, { fallbacks: [{ g: ["spare"] }] });
    reload([]);
    expect(await ended()).toEqual(["spare", ["first", "spare"]]);
  });

  test("says so where nothing is left", async () => {
    const { reload, ended } = await begin(["first"], BUSY);
    reload([]);
    const told = "vLLM: mood 500. It was not tried again: it has no deployment any more.";
    expect(await ended()).toEqual([told, ["first"]]);
  });

  test("says so where an operator has switched everything off", async () => {
    const { app, ended } = await begin(["first"], BUSY);
    const off = { method: "PATCH", key: MASTER_KEY, json: { enabled: false } };
    expect((await app.call("/api/admin/deployments/first", off)).status).toBe(200);
    const told = "vLLM: mood 500. It was not tried again: all its deployments are switched off.";
    expect(await ended()).toEqual([told, ["first"]]);
  });
});

test("a call whose first try takes long goes on among what a reload has left", async () => {
  const { reload, ended } = await begin(["first", "second"], { kind: "hang" });
  reload(["first", "third"]);
  expect(await ended()).toEqual(["third", ["first", "third"]]);
});

test("a call that waited before its first try goes to what is there by then", async () => {
  const [vectors, taken, there] = [new Moody("vectors"), new Moody("taken"), new Moody("there")];
  const entry = (model_name: string, { address, name }: Moody) => ({
    model_name,
    litellm_params: { model: "hosted_vllm/m", api_base: address },
    model_info: { id: name, free: true },
  });
  const cache_params = { type: "semantic", embedding_model: "vectors", similarity_threshold: 0.8 };
  const yaml = (upstream: Moody) =>
    JSON.stringify({
      model_list: [entry("vectors", vectors), entry("g", upstream)],
      litellm_settings: { cache: true, cache_params },
    });
  const app = await startApp(yaml(taken));
  stop = () => Promise.all([app.close(), ...[vectors, taken, there].map((upstream) => upstream.stop())]);
  const gate = Promise.withResolvers<void>();
  vectors.mood = { kind: "wait", until: gate.promise };
  const json = { model: "g", messages: [{ role: "user", content: "who?" }] };
  const sent = app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  while (vectors.calls === 0) await Bun.sleep(1);
  app.service.apply(configOf(yaml(there)));
  gate.resolve();
  expect([(await sent).status, taken.calls, there.calls]).toEqual([200, 0, 1]);
});
