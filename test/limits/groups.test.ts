import { afterAll, beforeEach, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { Moody, status, WELL } from "../upstreams/moody.ts";

const [upstream, broken] = [new Moody("model"), new Moody("broken")];
const clock = new SteppedClock();
const entry = (model_name: string, { address }: Moody = upstream) => ({
  model_name,
  litellm_params: { model: "hosted_vllm/m", api_base: address },
  model_info: { free: true },
});
const behind = (model_name: string, model: string, { address }: Moody) => ({
  model_name,
  litellm_params: { model, api_base: address, api_key: "k" },
  model_info: { free: true },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      ...[entry("paced"), entry("worded"), entry("narrow"), entry("free"), entry("large"), entry("larger")],
      entry("broken", broken),
      ...[behind("openai/*", "openai/*", upstream), behind("bad/*", "hosted_vllm/*", broken)],
      behind("good/*", "hosted_vllm/*", upstream),
    ],
    router_settings: {
      num_retries: 0,
      disable_cooldowns: true,
      fallbacks: [{ broken: ["paced", "free"] }],
      model_group_alias: { nickname: "paced", thrifty: "free" },
      model_group_limits: {
        ...{ paced: { rpm: 2 }, worded: { tpm: 60 }, narrow: { max_parallel_requests: 1 } },
        ...{ thrifty: { rpm: 1 }, "large*": { rpm: 1 }, "openai/gpt-4o": { rpm: 1 }, "openai/*": { rpm: 2 } },
        "*d/*": { rpm: 2, max_parallel_requests: 1 },
      },
    },
  }),
  null,
  clock,
);
broken.mood = status(500);
const person = await newPerson(app);
const [first] = await app.storage.accounts.teams.list(person.ownId);
const asked = { name: "theirs", teamId: first?.team.id };
const made: { key: string } = (await person.send("POST", "/api/gw/api-keys", asked)).body;
const theirs = made.key;
afterAll(async () => {
  await app.close();
  await Promise.all([upstream.stop(), broken.stop()]);
});
beforeEach(() => {
  upstream.mood = WELL;
  clock.step(120_000);
});

async function ask(model: string, key = MASTER_KEY, fields: object = {}, signal?: AbortSignal) {
  const json = { model, messages: [{ role: "user", content: "who?" }], ...fields };
  const response = await app.call("/v1/chat/completions", { key, json, ...(signal ? { signal } : {}) });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test("a model is called no more often than it may be, by all callers and all of its names together", async () => {
  expect((await ask("paced")).headers.get("x-ratelimit-model_group-remaining-requests")).toBe("1");
  expect((await ask("nickname", theirs)).status).toBe(200);
  const refused = await ask("paced", theirs);
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.text).error).toMatchObject({ code: "rate_limit_exceeded" });
  expect(refused.text).toContain("Rate limit exceeded for this model, whoever calls it: 2 requests a minute.");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(60);
  expect(Object.fromEntries(refused.headers)).toMatchObject({
    "x-ratelimit-limit-requests": "2",
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-model_group-limit-requests": "2",
  });
  expect((await ask("free", theirs)).status).toBe(200);
  clock.step(61_000);
  expect((await ask("paced", theirs)).status).toBe(200);
});

test("nor with more tokens", async () => {
  expect((await ask("worded", MASTER_KEY, { max_tokens: 50 })).status).toBe(200);
  expect((await ask("worded", theirs, { max_tokens: 58 })).status).toBe(429);
});

test("nor more often at one time", async () => {
  upstream.mood = { kind: "hang" };
  const [before, leave] = [upstream.calls, new AbortController()];
  const running = ask("narrow", MASTER_KEY, {}, leave.signal).catch(() => null);
  while (upstream.calls === before) await Bun.sleep(1);
  expect((await ask("narrow", theirs)).status).toBe(429);
  leave.abort();
  await running;
  upstream.mood = WELL;
  expect((await ask("narrow", theirs)).status).toBe(200);
});

test("where it stands in for another it is passed over when its limit is used up", async () => {
  const served: (string | null)[] = [];
  for (let i = 0; i < 3; i++) served.push((await ask("broken")).headers.get("x-gw-model-group"));
  expect(served).toEqual(["paced", "paced", "free"]);
});

test("whichever name of it the configuration uses: another name, a pattern that it fits, or one behind a pattern", async () => {
  const statuses = async (...models: string[]) => {
    const all: number[] = [];
    for (const model of models) all.push((await ask(model)).status);
    return all;
  };
  expect(await statuses("thrifty", "thrifty", "free")).toEqual([200, 429, 200]);
  expect(await statuses("large", "larger", "large", "larger")).toEqual([200, 200, 429, 429]);
  expect(await statuses("openai/gpt-4o", "gpt-4o", "openai/o3", "o3", "o3")).toEqual([200, 429, 200, 200, 429]);
});

test("a call counts once in a limit that the model which stands in shares with the one that was asked for", async () => {
  const limited = { ...asked, name: "paced by a pattern", modelLimits: { "*d/*": { rpm: 2, tpm: 100 } } };
  const { key }: { key: string } = (await person.send("POST", "/api/gw/api-keys", limited)).body;
  const fields = { fallbacks: ["good/x"], max_tokens: 60 };
  for (const expected of [200, 200, 429]) expect((await ask("bad/x", key, fields)).status).toBe(expected);
});
