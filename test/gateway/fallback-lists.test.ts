import { afterAll, beforeEach, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { Moody, status, WELL } from "../upstreams/moody.ts";

const [broken, spare, other] = [new Moody("broken"), new Moody("spare"), new Moody("other")];
const entry = (model_name: string, { address }: Moody) => ({
  model_name,
  litellm_params: { model: "hosted_vllm/m", api_base: address },
  model_info: { free: true },
});
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

const answeredBy = async (model: string): Promise<string | number | null> => {
  const json = { model, messages: [{ role: "user", content: "who?" }] };
  const response = await app.call("/v1/chat/completions", { key: MASTER_KEY, json });
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

test("a group that has failed is not asked again under another name", async () => {
  expect(await answeredBy("circular")).toBe(502);
  expect(broken.calls).toBe(1);
});
