import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/contract/errors.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { MemoryBooks } from "../metering/memory-books.ts";
import { restrictedKey } from "../models/restricted-key.ts";
import { Moody, status, WELL } from "../upstreams/moody.ts";

const [one, two, spare, dear] = [new Moody("one"), new Moody("two"), new Moody("spare"), new Moody("dear")];
const all = [one, two, spare, dear];

const entry = (group: string, upstream: Moody, id: string, price = "0.000001", params: object = {}) => ({
  model_name: group,
  litellm_params: { model: "hosted_vllm/m", api_base: upstream.address, ...params },
  model_info: { id, input_cost_per_token: price, output_cost_per_token: price },
});
const books = new MemoryBooks();
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("pair", one, "pair-1"),
      entry("pair", two, "pair-2"),
      entry("single", one, "single-1"),
      entry("spare", spare, "spare-1"),
      entry("dear", dear, "dear-1", "0.00001"),
      entry("levels", one, "first-level", "0.000001", { order: 1 }),
      entry("levels", two, "second-level", "0.000001", { order: 2 }),
      entry("chain", one, "chain-1"),
      entry("secret", dear, "secret-1"),
      entry("patient", one, "patient-1", "0.000001", { num_retries: 1 }),
    ],
    router_settings: {
      disable_cooldowns: true,
      routing_strategy: "simple-shuffle",
      num_retries: 2,
      timeout: 0.5,
      stream_timeout: 0.5,
      fallbacks: [{ single: ["spare"] }, { chain: ["secret", "pair"] }, { pair: ["dear"] }],
      context_window_fallbacks: [{ single: ["dear"] }],
      content_policy_fallbacks: [{ single: ["pair"] }],
      model_group_retry_policy: { single: { InternalServerErrorRetries: 0, TimeoutErrorRetries: 0 } },
    },
  }),
  null,
  systemClock,
  { ledger: books },
);
afterAll(async () => {
  await app.close();
  await Promise.all(all.map((upstream) => upstream.stop()));
});
beforeEach(() => {
  for (const upstream of all) Object.assign(upstream, { mood: WELL, calls: 0, served: 0 });
});

const key = app.first.demoKey ?? "";
const post = (model: string, fields: object = {}, headers: Record<string, string> = {}, as = key) =>
  app.call("/v1/chat/completions", {
    key: as,
    headers,
    json: { model, messages: [{ role: "user", content: "who?" }], ...fields },
  });
const saidBy = async (response: Response): Promise<string> => {
  const text = await response.text();
  return all.find(({ name }) => text.includes(name))?.name ?? text;
};
const LONG = {
  error: { message: "This model's maximum context length is 10 tokens.", code: "context_length_exceeded" },
};
const POLICY = { error: { message: "refused", code: "content_policy_violation" } };

describe("a call that fails before its first byte", () => {
  test.each([500, 503, 429, 408, 401, 404])("with %i is answered by another deployment of its group", async (code) => {
    one.mood = status(code);
    for (let call = 0; call < 8; call++) {
      for (const stream of [false, true]) {
        const response = await post("pair", { stream });
        expect(response.status).toBe(200);
        expect(response.headers.get("x-gw-model-id")).toBe("pair-2");
        expect(await saidBy(response)).toBe("two");
      }
    }
    expect(one.calls).toBeGreaterThan(0);
    expect(two.served).toBe(16);
  });

  test("says how often it was tried", async () => {
    one.mood = status(500);
    const tries = new Set<string | null>();
    for (let call = 0; call < 12; call++) tries.add((await post("pair")).headers.get("x-gw-attempted-retries"));
    expect(tries).toEqual(new Set(["0", "1"]));
  });

  test("because nothing answers is tried elsewhere when its time is over", async () => {
    one.mood = { kind: "hang" };
    for (let call = 0; call < 3; call++) {
      expect(await saidBy(await post("pair", { stream: call === 1 }))).toBe("two");
    }
  });

  test("because of what it asks is not tried again", async () => {
    Object.assign(one, { mood: status(400) });
    Object.assign(two, { mood: status(400) });
    expect((await post("pair")).status).toBe(400);
    expect(one.calls + two.calls).toBe(1);
    expect(dear.calls).toBe(0);
  });

  test("is tried again as often as the request says, and then as its deployment says", async () => {
    one.mood = status(500);
    expect((await post("patient", { num_retries: 0 })).status).toBe(502);
    expect(one.calls).toBe(1);
    one.calls = 0;
    expect((await post("patient", {}, { "x-gw-num-retries": "0" })).status).toBe(502);
    expect(one.calls).toBe(1);
    one.calls = 0;
    const response = await post("patient");
    expect(response.status).toBe(502);
    expect(response.headers.get("x-gw-attempted-retries")).toBe("1");
    expect(one.calls).toBe(2);
  });

  test("is not tried at a place that asks for more patience than a caller has: the caller is told", async () => {
    one.mood = status(429, { retryAfter: "7" });
    const response = await post("patient");
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(one.calls).toBe(1);
  });

  test("is not tried past the time that its caller waits", async () => {
    one.mood = status(500);
    const response = await post("patient", { timeout: 0.001, num_retries: 5 });
    expect(response.status).toBeGreaterThanOrEqual(408);
    expect(one.calls).toBeLessThanOrEqual(1);
  });

  test("goes on to the next level of its group when its tries are used up", async () => {
    one.mood = status(500);
    const response = await post("levels", { num_retries: 0 });
    expect(response.headers.get("x-gw-model-id")).toBe("second-level");
    one.mood = WELL;
    for (let call = 0; call < 5; call++) expect(await saidBy(await post("levels"))).toBe("one");
  });

  test("may bring a file along each time", async () => {
    one.mood = status(500);
    const form = new FormData();
    form.set("model", "pair");
    form.set("file", new File([new Uint8Array(3_000_000)], "a.wav", { type: "audio/wav" }));
    const sent = new Request("http://x/", { method: "POST", body: form });
    const type = sent.headers.get("content-type") ?? "";
    const body = await sent.bytes();
    for (let call = 0; call < 4; call++) {
      const response = await app.call("/v1/audio/transcriptions", {
        key: MASTER_KEY,
        headers: { "content-type": type },
        body,
      });
      expect(await response.text()).toContain("two heard 3000000 bytes");
    }
  });

  test("and whose caller has left is not tried again", async () => {
    one.mood = { kind: "hang" };
    const leaving = new AbortController();
    const call = app.call("/v1/chat/completions", {
      key,
      json: { model: "patient", messages: [{ role: "user", content: "x" }], num_retries: 5 },
      signal: leaving.signal,
    });
    while (one.calls === 0) await Bun.sleep(1);
    leaving.abort();
    await call.catch(() => undefined);
    expect(one.calls).toBe(1);
    // The upstream was at work, and nobody knows how far it was.
    expect(await books.last()).toMatchObject({ status: "cancelled", attempts: [{ statusCode: 499 }] });
    expect(books.closed.at(-1)).toBeGreaterThan(0n);
  });
});

describe("a group that fails", () => {
  test("has another one that stands in, and the answer says so", async () => {
    one.mood = status(500);
    const response = await post("single");
    expect(response.status).toBe(200);
    expect(response.headers.get("x-gw-model-group")).toBe("spare");
    expect(response.headers.get("x-gw-attempted-fallbacks")).toBe("1");
    expect(await response.json()).toMatchObject({ model: "spare" });
  });

  test("for a prompt that is too long has one with more room, and for its content one with other rules", async () => {
    one.mood = status(400, { body: LONG });
    expect(await saidBy(await post("single"))).toBe("dear");
    one.mood = status(400, { body: POLICY });
    const names = new Set<string>();
    two.mood = WELL;
    for (let call = 0; call < 6; call++) {
      const response = await post("single");
      if (response.status === 200) names.add(await saidBy(response));
    }
    expect([...names].every((name) => name === "two" || name === "dear")).toBe(true);
  });

  test("has what the request names, instead of what is configured", async () => {
    one.mood = status(500);
    expect(await saidBy(await post("single", { fallbacks: ["dear"] }))).toBe("dear");
    expect(spare.calls).toBe(0);
    one.mood = status(400, { body: LONG });
    for (const name of ["single", "m", "hosted_vllm/m"]) {
      expect(await saidBy(await post("single", { context_window_fallback_dict: { [name]: "spare" } }))).toBe("spare");
    }
    expect(await saidBy(await post("single", { context_window_fallback_dict: { "openai/m": "spare" } }))).toBe("dear");
  });

  test("may be named as OpenRouter has it, and no upstream sees that", async () => {
    one.mood = status(500);
    expect(await saidBy(await post("single", { models: ["single", "dear"] }))).toBe("dear");
    expect([spare.calls, "models" in one.seen, "models" in dear.seen]).toEqual([0, false, false]);
    one.mood = WELL;
    for (const hidden of [{ extra_body: { models: ["m"] } }, { models: ["dear"], note: "long ".repeat(2000) }]) {
      expect(await saidBy(await post("single", hidden))).toBe("one");
      expect("models" in one.seen).toBe(false);
    }
  });

  test("has none where the request wants none", async () => {
    one.mood = status(500);
    expect((await post("single", { disable_fallbacks: true })).status).toBe(502);
    expect((await post("single", { fallbacks: [] })).status).toBe(502);
    expect(spare.calls).toBe(0);
  });

  test("has only such as the caller may call, and a request may name no others", async () => {
    const { key: narrow } = await restrictedKey(app, ["chain", "pair"]);
    one.mood = status(500);
    two.mood = WELL;
    // `secret` comes first in the list; this key may not call it.
    expect(await saidBy(await post("chain", {}, {}, narrow))).toBe("two");
    expect(dear.calls).toBe(0);
    const refusal = async (own: object) => {
      const response = await post("chain", own, {}, narrow);
      return [response.status, ((await response.json()) as { error: { param: string } }).error.param];
    };
    expect(await refusal({ fallbacks: ["secret"] })).toEqual([403, "fallbacks"]);
    expect(await refusal({ fallbacks: ["nowhere"] })).toEqual([404, "fallbacks"]);
    expect(await refusal({ fallbacks: [{ chain: ["nowhere"] }] })).toEqual([404, "fallbacks"]);
    expect(await refusal({ models: ["chain", "secret"] })).toEqual([403, "models"]);
    const long = { context_window_fallback_dict: { chain: "secret" } };
    expect(await refusal(long)).toEqual([403, "context_window_fallback_dict"]);
  });

  test("goes down the list, and down the lists of those in it", async () => {
    for (const upstream of [one, two, spare]) upstream.mood = status(500);
    // chain -> secret (dear is well)
    expect(await saidBy(await post("chain"))).toBe("dear");
    const { key: narrow } = await restrictedKey(app, ["chain", "pair", "dear"]);
    // chain -> pair -> dear, which stands in for pair
    expect(await saidBy(await post("chain", {}, {}, narrow))).toBe("dear");
  });

  test("with all that could stand in for it is told by its own failure", async () => {
    for (const upstream of all) upstream.mood = status(503);
    const response = await post("single");
    expect(response.status).toBe(503);
    expect(((await response.json()) as { error: { message: string } }).error.message).toEndWith(
      "mood 503. What stands in for it did not answer either: `spare`.",
    );
  });

  test("is told of those that were asked in its place, and of no others", async () => {
    for (const upstream of all) upstream.mood = status(503);
    const { key: narrow } = await restrictedKey(app, ["chain", "pair"]);
    const response = await post("chain", {}, {}, narrow);
    const { error } = (await response.json()) as { error: { message: string } };
    // Whether `pair` is asked depends on how much has failed before.
    const asked = response.headers.get("x-gw-attempted-fallbacks") === "1";
    expect(error.message.includes("did not answer either: `pair`.")).toBe(asked);
    // This key may call neither, so it does not hear of them.
    expect(error.message).not.toMatch(/secret|dear/);
    const { key: alone } = await restrictedKey(app, ["chain"]);
    const told = (await (await post("chain", {}, {}, alone)).json()) as { error: { message: string } };
    expect(told.error.message).not.toContain("either");
  });
});

describe("a call that was tried more than once", () => {
  test("is one call in the books, charged by the one that answered, with every try", async () => {
    one.mood = status(400, { body: LONG });
    for (const stream of [false, true]) {
      const ended = books.ended.length;
      await (await post("single", { stream })).text();
      const record = await books.last();
      expect(books.ended.length).toBe(ended + 1);
      // Ten tokens in and five out, at the price of the one that stood in.
      expect(record).toMatchObject({ requestedModel: "single", model: "dear", status: "succeeded", cost: 150_000n });
      expect(record.attempts.map(({ deploymentId, error }) => [deploymentId, error])).toEqual([
        ["single-1", "context_length_exceeded"],
        ["dear-1", null],
      ]);
    }
  });

  test("in vain is free, and nothing stays set aside", async () => {
    for (const upstream of all) upstream.mood = status(500);
    const ended = books.ended.length;
    expect((await post("single")).status).toBe(502);
    const record = await books.last();
    expect([books.ended.length - ended, record.status, record.cost]).toEqual([1, "failed", 0n]);
    expect(record.attempts.length).toBeGreaterThan(0);
  });

  test("where it stands in is not affordable ends with what failed first", async () => {
    one.mood = status(400, { body: LONG });
    const { hold } = books.desk;
    // There is enough for the cheap one, and not for the dear one.
    books.desk.hold = (request) => {
      if (request.amount > 10_000_000n) throw new GatewayError("insufficient_quota", "No credit is left.");
      return hold(request);
    };
    const response = await post("single", { max_tokens: 5000 });
    books.desk.hold = hold;
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: "context_length_exceeded" } });
    expect((await books.last()).status).toBe("failed");
    expect(dear.calls).toBe(0);
  });
});

test("when everything fails, hardly more is sent than is asked for", async () => {
  for (const upstream of all) upstream.mood = status(500);
  const calls = 1_000;
  for (let left = calls; left > 0; left -= 20) {
    await Promise.all(Array.from({ length: 20 }, () => post("pair", { num_retries: 3 })));
  }
  const sent = all.reduce((sum, upstream) => sum + upstream.calls, 0);
  expect(sent).toBeLessThan(calls * 1.2);
  expect(sent).toBeGreaterThanOrEqual(calls);
});

test("when every level of a group fails, later ones are not asked by each call", async () => {
  for (const upstream of all) upstream.mood = status(500);
  for (let call = 0; call < 300; call++) await post("levels", { num_retries: 0 });
  expect(one.calls).toBe(300);
  expect(two.calls).toBeLessThan(60);
});
