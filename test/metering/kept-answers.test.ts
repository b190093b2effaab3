import { afterAll, describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/contract/errors.ts";
import type { IdempotencyStore } from "../../src/ledger/idempotency-store.ts";
import { startApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { Moody, WELL } from "../upstreams/moody.ts";
import { MemoryBooks } from "./memory-books.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** So long whoever lives has to say so, after nobody could. */
const GRACE_MS = 15_000;
const upstream = new Moody("one");
const books = new MemoryBooks();
const clock = new SteppedClock();
const app = await startApp(
  `
model_list:
  - model_name: moody
    litellm_params: { model: hosted_vllm/m, api_base: "${upstream.address}" }
    model_info: { free: true }
`,
  null,
  clock,
  { ledger: books },
);
afterAll(async () => {
  await app.close();
  await upstream.stop();
});
const demo = app.first.demoKey ?? "";
const stored: IdempotencyStore = app.storage.keptAnswers;

async function post(name: string, stream = false) {
  const response = await app.call("/v1/chat/completions", {
    key: demo,
    headers: { "idempotency-key": name },
    json: { model: "moody", messages: [{ role: "user", content: "hello there" }], stream },
  });
  const text = await response.text();
  return { status: response.status, text, again: response.headers.has("idempotent-replayed") };
}

/** What is asked of the database meanwhile fails as it does while that is away. */
async function whileAway<T>(names: readonly (keyof IdempotencyStore)[], work: () => Promise<T>): Promise<T> {
  const whole = { ...stored };
  const away = () => Promise.reject(new GatewayError("database", "The database does not answer."));
  const { ping } = app.storage;
  Object.assign(stored, Object.fromEntries(names.map((name) => [name, away])));
  Object.assign(app.storage, { ping: away });
  try {
    return await work();
  } finally {
    Object.assign(stored, whole);
    Object.assign(app.storage, { ping });
  }
}

/** A call that another process makes: it has said just now that it runs. */
async function elsewhere(name: string): Promise<void> {
  const { begin } = stored;
  stored.begin = (call, nowMs) => begin({ ...call, owner: "another process" }, nowMs);
  try {
    // Of whatever is made here nothing is kept, since it is another's.
    expect(await post(name)).toMatchObject({ status: 200, again: false });
  } finally {
    stored.begin = begin;
  }
}

describe("a call with an Idempotency-Key", () => {
  test.each([false, true])(
    "whose answer could not be kept while the database was away is not made again (streamed: %p)",
    async (stream) => {
      const first = await whileAway(["finish"], () => post(`owed ${stream}`, stream));
      expect(first).toMatchObject({ status: 200, again: false });
      const made = upstream.calls;
      clock.step(2 * MINUTE_MS);
      expect(await post(`owed ${stream}`, stream)).toEqual({ ...first, again: true });
      expect(upstream.calls).toBe(made);
    },
  );

  test("that runs is not made a second time where the clock is set ahead", async () => {
    const answering = Promise.withResolvers<void>();
    upstream.mood = { kind: "wait", until: answering.promise };
    const before = upstream.calls;
    const running = post("set ahead");
    while (upstream.calls === before) await Bun.sleep(1);
    clock.set(HOUR_MS);
    upstream.mood = WELL;
    expect((await post("set ahead")).status).toBe(409);
    answering.resolve();
    expect(await running).toMatchObject({ status: 200, again: false });
    expect(await post("set ahead")).toMatchObject({ status: 200, again: true });
    clock.set(-HOUR_MS);
  });

  test("whose process has ended is released after a minute, also where the clock was set back since", async () => {
    await elsewhere("set back");
    clock.set(-HOUR_MS);
    expect((await post("set back")).status).toBe(409);
    clock.step(GRACE_MS);
    expect(await post("set back")).toMatchObject({ status: 200, again: false });
    await elsewhere("ended");
    clock.step(MINUTE_MS - 1);
    expect((await post("ended")).status).toBe(409);
    clock.step(1);
    expect(await post("ended")).toMatchObject({ status: 200, again: false });
  });

  test.each(["by a call", "by nobody's call"])(
    "that nobody could renew while the database was away is left to who makes it, noticed %s",
    async (by) => {
      await elsewhere(by);
      const asked = () => (by === "by a call" ? post("asks in vain") : app.service.flush());
      await whileAway(["begin"], async () => {
        await asked();
        clock.step(MINUTE_MS);
        await asked();
      });
      expect((await post(by)).status).toBe(409);
      clock.step(GRACE_MS);
      expect((await post(by)).status).toBe(200);
    },
  );
});
