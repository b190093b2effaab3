import { afterAll, beforeEach, expect, test } from "bun:test";
import { MASTER_KEY, startApp } from "../app.ts";
import { MemoryBooks } from "../metering/memory-books.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { Moody, WELL } from "../upstreams/moody.ts";

const [one, two] = [new Moody("one"), new Moody("two")];
const clock = new SteppedClock();
const books = new MemoryBooks();
const entry = (group: string, upstream: Moody, id: string, params: object) => ({
  model_name: group,
  litellm_params: { model: "hosted_vllm/m", api_base: upstream.address, ...params },
  model_info: { id, free: true },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("paced", one, "paced-1", { rpm: 2 }),
      entry("paced", two, "paced-2", { rpm: 1 }),
      entry("worded", one, "worded-1", { tpm: 30 }),
      entry("worded", two, "worded-2", { tpm: 30 }),
      entry("narrow", one, "narrow-1", { max_parallel_requests: 1 }),
      entry("usual", one, "usual-1", {}),
      entry("short", one, "short-1", { rpm: 1 }),
      entry("spare", two, "spare-1", {}),
    ],
    general_settings: { max_parallel_requests: 3, global_max_parallel_requests: 4 },
    router_settings: { num_retries: 0, disable_cooldowns: true, fallbacks: [{ short: ["spare"] }] },
  }),
  null,
  clock,
  { ledger: books },
);
afterAll(async () => {
  await app.close();
  await Promise.all([one.stop(), two.stop()]);
});
beforeEach(() => {
  for (const upstream of [one, two]) Object.assign(upstream, { mood: WELL, calls: 0 });
  clock.step(120_000);
});

const post = (model: string, fields: object = {}, signal?: AbortSignal) =>
  app.call("/v1/chat/completions", {
    key: MASTER_KEY,
    json: { model, messages: [{ role: "user", content: "who?" }], ...fields },
    ...(signal ? { signal } : {}),
  });
const servedBy = async (response: Response): Promise<string> => {
  await response.text();
  return response.status === 200 ? (response.headers.get("x-gw-model-id") ?? "") : String(response.status);
};

/** Calls that the upstream does not answer until they are ended. */
async function hold(model: string, count: number): Promise<() => Promise<void>> {
  one.mood = { kind: "hang" };
  const before = one.calls;
  const leave = new AbortController();
  const running = Array.from({ length: count }, () => post(model, {}, leave.signal).catch(() => null));
  while (one.calls < before + count) await Bun.sleep(1);
  one.mood = WELL;
  return async () => {
    leave.abort();
    await Promise.all(running);
  };
}

test("a deployment that has used up its requests is passed over; when all have, it is 429 until the first has room", async () => {
  const served: string[] = [];
  for (let i = 0; i < 3; i++) served.push(await servedBy(await post("paced")));
  expect(served.sort()).toEqual(["paced-1", "paced-1", "paced-2"]);
  const refused = await post("paced");
  expect(refused.status).toBe(429);
  const retryAfter = Number(refused.headers.get("retry-after"));
  expect(retryAfter).toBeGreaterThanOrEqual(60);
  expect(await refused.text()).not.toContain("paced-1");
  expect(books.ended.at(-1)?.record).toMatchObject({ status: "rejected", errorCode: "rate_limit_exceeded" });
  clock.step(retryAfter * 1000);
  expect((await post("paced")).status).toBe(200);
});

test("a call that is too large for what each has left is told of the first that will have room", async () => {
  for (const name of ["worded-1", "worded-2"]) {
    expect(await servedBy(await post(name))).toBe(name);
    clock.step(30_000);
  }
  for (let time = 0; time < 8; time++) {
    const refused = await post("worded", { max_tokens: 25 });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  }
  clock.step(1_000);
  expect(await servedBy(await post("worded", { max_tokens: 25 }))).toBe("worded-1");
});

test("tokens of a deployment are counted by what was used", async () => {
  // Each call uses 15 of 30, on two deployments.
  const served: string[] = [];
  for (let i = 0; i < 4; i++) served.push(await servedBy(await post("worded")));
  expect(served.sort()).toEqual(["worded-1", "worded-1", "worded-2", "worded-2"]);
  expect((await post("worded")).status).toBe(429);
  clock.step(61_000);
  expect((await post("worded")).status).toBe(200);
});

test("a call that is too large for what a deployment has left goes to another one", async () => {
  const first = await servedBy(await post("worded"));
  const other = first === "worded-1" ? "worded-2" : "worded-1";
  for (let i = 0; i < 2; i++) {
    expect(await servedBy(await post("worded", { max_tokens: 25 }))).toBe(i === 0 ? other : "429");
  }
});

test("calls at one time are limited by deployment, by the usual limit, and for all together", async () => {
  const endOne = await hold("narrow", 1);
  expect((await post("narrow")).status).toBe(429);
  const endMore = await hold("usual", 3);
  const all = await post("usual");
  expect(all.status).toBe(429);
  // Four run: whichever model is asked for, it is too many.
  const any = await post("spare");
  expect(any.status).toBe(429);
  expect(((await any.json()) as { error: { message: string } }).error.message).toContain("as many calls as it may");
  await endOne();
  const usual = await post("usual");
  expect(usual.status).toBe(429);
  expect((await post("spare")).status).toBe(200);
  await endMore();
  expect((await post("usual")).status).toBe(200);
  expect((await post("narrow")).status).toBe(200);
});

test("a group without room falls back", async () => {
  expect(await servedBy(await post("short"))).toBe("short-1");
  expect(await servedBy(await post("short"))).toBe("spare-1");
});

test("a try that fails gives its place and its tokens back", async () => {
  one.mood = { kind: "status", status: 500 };
  two.mood = { kind: "status", status: 500 };
  for (let i = 0; i < 4; i++) expect((await post("worded", { max_tokens: 25 })).status).toBe(502);
  expect((await post("narrow")).status).toBe(502);
  one.mood = WELL;
  two.mood = WELL;
  expect((await post("worded", { max_tokens: 25 })).status).toBe(200);
  expect((await post("narrow")).status).toBe(200);
});
