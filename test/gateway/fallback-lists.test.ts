import { afterAll, beforeEach, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { restrictedKey } from "../models/restricted-key.ts";
import { Moody, status, WELL } from "../upstreams/moody.ts";

const [broken, spare, other] = [new Moody("broken"), new Moody("spare"), new Moody("other")];
const entry = (model_name: string, { address }: Moody) => ({
  model_name,
  litellm_params: { model: "hosted_vllm/m", api_base: address },
  model_info: { free: true },
});
/** As many as may stand in. */
const CLOSED = ["closed-1", "closed-2", "closed-3", "closed-4", "closed-5"];
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("left-alone", broken),
      entry("listed", broken),
      entry("circular", broken),
      entry("open/one", broken),
      entry("unlisted", broken),
      entry("spare", spare),
      entry("other", other),
      entry("guarded", broken),
      ...CLOSED.map((name) => entry(name, other)),
    ],
    router_settings: {
      num_retries: 0,
      disable_cooldowns: true,
      model_group_alias: { nickname: "listed", round: "circular", "round-again": "circular" },
      fallbacks: [
        { "left-alone": [] },
        { listed: ["spare"] },
        { circular: ["round", "round-again"] },
        { m: ["spare"] },
        { guarded: [...CLOSED, "spare"] },
      ],
      context_window_fallbacks: [{ "left-alone": [] }],
      default_fallbacks: ["other"],
    },
  }),
);
afterAll(async () => {
  await app.close();
  await Promise.all([broken.stop(), spare.stop(), other.stop()]);
});
beforeEach(() => {
  for (const upstream of [spare, other]) Object.assign(upstream, { mood: WELL, calls: 0 });
  Object.assign(broken, { mood: status(500), calls: 0 });
});

const answeredBy = async (model: string, fields: object = {}, key = MASTER_KEY): Promise<string | number | null> => {
  const json = { model, messages: [{ role: "user", content: "who?" }], ...fields };
  const response = await app.call("/v1/chat/completions", { key, json });
  await response.text();
  return response.status === 200 ? response.headers.get("x-gw-model-group") : response.status;
};

test("an empty list means that nobody stands in, whatever is said for any group", async () => {
  expect(await answeredBy("left-alone")).toBe(502);
  const error = { message: "too long", code: "context_length_exceeded" };
  broken.mood = status(400, { body: { error } });
  expect(await answeredBy("left-alone")).toBe(400);
  expect([broken.calls, spare.calls, other.calls]).toEqual([2, 0, 0]);
});

test("a group's own list holds under an alias too, before the one for any group", async () => {
  expect(await answeredBy("nickname")).toBe("spare");
  expect(await answeredBy("listed")).toBe("spare");
  expect(await answeredBy("open/one")).toBe("other");
});

test("the list of a group that is called as another's upstream model is not the other's before the one for any", async () => {
  expect(await answeredBy("unlisted")).toBe("other");
});

test("groups that a caller may not call are passed over, however many, and take nobody's turn", async () => {
  const { key } = await restrictedKey(app, ["guarded", "spare"]);
  expect(await answeredBy("guarded", {}, key)).toBe("spare");
  expect([broken.calls, other.calls]).toEqual([1, 0]);
});

test("a group that has failed is not asked again under another name", async () => {
  expect(await answeredBy("circular")).toBe(502);
  expect(broken.calls).toBe(1);
});

test("a request names models to stand in with fields of their own, which only those are asked with", async () => {
  const fallbacks = [{ model: "other", temperature: 0.25, max_tokens: 7 }, "spare"];
  expect(await answeredBy("listed", { fallbacks, temperature: 1, top_p: 0.5 })).toBe("other");
  expect(broken.seen).toMatchObject({ temperature: 1, top_p: 0.5 });
  expect(other.seen).toMatchObject({ temperature: 0.25, top_p: 0.5, max_tokens: 7 });
  other.mood = status(500);
  expect(await answeredBy("listed", { fallbacks, temperature: 1, stream: true })).toBe("spare");
  expect(spare.seen).toMatchObject({ temperature: 1 });
  expect(spare.seen.max_tokens).toBeUndefined();
});

test.each([
  [{ max_tokens: 7 }, { max_completion_tokens: 4_000 }],
  [{ max_completion_tokens: 7 }, { max_tokens: 4_000 }],
])("the longest answer of a model that stands in, %j, takes the place of the request's, %j", async (own, asked) => {
  expect(await answeredBy("listed", { fallbacks: [{ model: "other", ...own }], ...asked })).toBe("other");
  expect(other.seen.max_completion_tokens ?? other.seen.max_tokens).toBe(7);
  expect(Object.values(other.seen)).not.toContain(4_000);
});

test("a request names them as the configuration does; groups that it does not name have the configured ones", async () => {
  const fallbacks = [{ listed: ["other"] }, { circular: ["spare"] }];
  expect(await answeredBy("listed", { fallbacks })).toBe("other");
  expect(await answeredBy("nickname", { fallbacks })).toBe("other");
  expect(await answeredBy("circular", { fallbacks })).toBe("spare");
  expect(await answeredBy("listed", { fallbacks: [{ circular: ["other"] }] })).toBe("spare");
});

test("whatever way they are named, the key must be allowed to call each", async () => {
  const { key } = await restrictedKey(app, ["listed", "spare"]);
  expect(await answeredBy("listed", { fallbacks: [{ model: "spare" }] }, key)).toBe("spare");
  for (const fallbacks of [[{ model: "other" }], [{ listed: ["other"] }], [{ circular: ["other"] }]]) {
    expect(await answeredBy("listed", { fallbacks }, key)).toBe(403);
  }
  expect(other.calls).toBe(0);
});

test.each([
  [{ model: "other", messages: [] }],
  [{ model: "other", stream: true }],
  [{ model: "other", api_key: "sk-x" }],
  [{ model: "other", temperature: "hot" }],
  [{ model: "other", max_tokens: -1 }],
  [{ model: "other", max_tokens: 1, max_completion_tokens: 2 }],
  [{ listed: "other" }],
  [{ listed: ["other"] }, "spare"],
])("what cannot be another for a model that stands in is refused before anything is sent: %j", async (...fallbacks) => {
  expect(await answeredBy("listed", { fallbacks })).toBe(400);
  expect(broken.calls).toBe(0);
});

test("settings of the router that a request brings along are refused by name, and told where they belong", async () => {
  const json = {
    model: "spare",
    messages: [{ role: "user", content: "who?" }],
    router_settings_override: { num_retries: 1 },
  };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { error: { param: "router_settings_override" } },
  ]);
  expect(await answeredBy("spare", { router_settings_override: null })).toBe("spare");
});
