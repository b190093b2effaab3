import { afterAll, beforeEach, expect, test } from "bun:test";
import { GatewayError } from "../../src/contract/errors.ts";
import { restrictedKey } from "../models/restricted-key.ts";
import { Moody, status, WELL } from "../upstreams/moody.ts";
import { startBooked } from "./booked-app.ts";

const [failing, between, last] = [new Moody("failing"), new Moody("between"), new Moody("last")];
const entry = (group: string, upstream: Moody, price: string) => ({
  model_name: group,
  litellm_params: { model: "hosted_vllm/m", api_base: upstream.address, max_tokens: 100 },
  model_info: { id: group, input_cost_per_token: price, output_cost_per_token: price },
});
const config = {
  model_list: [
    entry("main", failing, "0.000001"),
    entry("dear", between, "0.1"),
    entry("spare", between, "0.000001"),
    entry("last", last, "0.000001"),
    entry("dearer", last, "0.000005"),
    entry("cheaper", last, "0.0000001"),
    { ...entry("free", last, "0"), model_info: { id: "free", free: true } },
  ],
  router_settings: { num_retries: 0, fallbacks: [{ main: ["dear", "last"] }], enable_mid_stream_fallbacks: true },
};
const { app, books } = await startBooked(config, failing);
afterAll(() => Promise.all([between.stop(), last.stop()]));
const { id, key } = await restrictedKey(app, []);
// Enough for any of them but the dear one.
await app.storage.accounts.keys.update(id, { budget: 1_000_000_000n, budgetWindow: "month" });
beforeEach(() => {
  failing.mood = status(500);
  for (const upstream of [failing, between, last]) upstream.calls = 0;
});

/** Sends a call that comes to the last upstream, and gives how many holds are open while it is there. */
async function heldAtLast(fields: object = {}): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  last.mood = { kind: "wait", until: promise };
  const json = { model: "main", messages: [{ role: "user", content: "who?" }], ...fields };
  const answer = app.call("/v1/chat/completions", { key, json });
  while (last.calls === 0) await Bun.sleep(1);
  const open = books.openHolds;
  resolve();
  last.mood = WELL;
  expect((await answer).status).toBe(200);
  await books.last();
  expect(books.openHolds).toBe(0);
  return open;
}

test("a call that was too dear in one place has its money set aside again for the next", async () => {
  expect(await heldAtLast()).toBe(1);
  expect([failing.calls, between.calls]).toEqual([1, 0]);
});

test("so has one that could not be written down on its way", async () => {
  const { open } = books.journal;
  let opened = 0;
  books.journal.open = (call) =>
    ++opened === 2 ? Promise.reject(new GatewayError("unavailable", "The disk is full.")) : open(call);
  expect(await heldAtLast({ fallbacks: ["spare", "last"] })).toBe(1);
  books.journal.open = open;
  expect([opened, between.calls]).toEqual([3, 0]);
});

test("a caller who leaves while the call is written down has nothing set aside any more, and pays nothing", async () => {
  const { open } = books.journal;
  const leaving = new AbortController();
  books.journal.open = async (call) => {
    await open(call);
    leaving.abort();
  };
  const json = { model: "main", messages: [{ role: "user", content: "who?" }] };
  await app.call("/v1/chat/completions", { key, json, signal: leaving.signal }).catch(() => null);
  expect(await books.last()).toMatchObject({ status: "cancelled", cost: 0n });
  books.journal.open = open;
  expect([books.openHolds, failing.calls]).toEqual([0, 0]);
});

test("one who leaves while an answer that broke off goes on elsewhere pays for its part out of what was set aside", async () => {
  failing.mood = { kind: "cut", after: 2 };
  const { open } = books.journal;
  const leaving = new AbortController();
  let opened = 0;
  books.journal.open = async (call) => {
    await open(call);
    if (++opened === 2) leaving.abort();
  };
  const json = { model: "main", stream: true, messages: [{ role: "user", content: "who?" }], fallbacks: ["last"] };
  const answer = await app.call("/v1/chat/completions", { key, json, signal: leaving.signal });
  await answer.text().catch(() => "");
  const record = await books.last();
  books.journal.open = open;
  expect(record).toMatchObject({ status: "cancelled" });
  expect(record.cost).toBeGreaterThan(0n);
  expect(books.closed.at(-1)).toBe(record.cost);
  expect([opened, last.calls]).toEqual([2, 0]);
});

test.each(["dearer", "cheaper", "free"])(
  "an answer that broke off stays covered while a %s deployment goes on with it, and is paid out of that",
  async (group) => {
    failing.mood = { kind: "cut", after: 2 };
    last.mood = status(500);
    const { open } = books.journal;
    const [held, closed] = [books.held.length, books.closed.length];
    const ends: number[] = [];
    books.journal.open = (call) => {
      ends.push(books.closed.length - closed);
      return open(call);
    };
    const json = { model: "main", stream: true, messages: [{ role: "user", content: "who?" }], fallbacks: [group] };
    await (await app.call("/v1/chat/completions", { key, json })).text();
    const record = await books.last();
    books.journal.open = open;
    expect(record).toMatchObject({ status: "partial", model: "main" });
    expect(record.cost).toBeGreaterThan(0n);
    // Whatever was set aside is there until the end, and is of the pots that pay for it.
    expect(ends).toEqual([0, 0]);
    expect(books.closed.slice(closed)).toEqual([record.cost]);
    expect(books.ended.at(-1)?.creditSources).toEqual(books.held[held]?.creditSources.map(({ id }) => id) ?? []);
    expect(books.held.length - held).toBe(group === "dearer" ? 2 : 1);
  },
);
