import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { look, startCachedApp } from "./cached-app.ts";

const place = await startCachedApp();
afterAll(() => place.close());
const { chat, upstream, app } = place;

/** Answers of the upstream wait until the gate is opened. */
function closeGate(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  upstream.gate = promise;
  return () => {
    upstream.gate = null;
    resolve();
  };
}
afterEach(() => {
  upstream.gate = null;
  upstream.failures = 0;
});

/** Until so many calls wait for another's answer. */
async function waiting(count: number): Promise<void> {
  const line = new RegExp(`^turnpike_cache_waiting ${count}$`, "m");
  while (!line.test(await (await app.call("/metrics", { key: MASTER_KEY })).text())) await Bun.sleep(1);
}

const cancelled = () => place.books.ended.map(({ record }) => record).filter(({ status }) => status === "cancelled");

const shared = async () => {
  const response = await app.call("/api/admin/cache", { key: MASTER_KEY });
  return ((await response.json()) as { sharedHits: number }).sharedHits;
};

describe("identical calls at the same time", () => {
  test.each([false, true])("are one call of the upstream, and the others are hits (streamed: %p)", async (stream) => {
    const [before, sharedBefore] = [upstream.count, await shared()];
    const open = closeGate();
    const calls = Array.from({ length: 20 }, () => chat(`one ${stream}`, { stream }));
    await upstream.arrived(before + 1);
    await waiting(19);
    open();
    const seen = await Promise.all(calls.map(async (call) => look(await call)));
    expect(upstream.count).toBe(before + 1);
    expect(new Set(seen.map(({ text }) => text)).size).toBe(1);
    expect(seen.filter(({ hit }) => hit)).toHaveLength(19);
    expect(await shared()).toBe(sharedBefore + 19);
    const rows = place.books.ended.slice(-20).map(({ record }) => record);
    expect(rows.filter(({ cost }) => cost > 0n)).toHaveLength(1);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(20);
  });

  test("of two tenants, or with other words about the cache, are not the same", async () => {
    const before = upstream.count;
    const open = closeGate();
    const calls = [
      chat("apart"),
      chat("apart", {}, { key: place.stranger }),
      chat("apart", { cache: { "no-cache": true } }),
      chat("apart", { cache: { "no-store": true } }),
      chat("apart", { caching: false }),
      chat("apart", { cache: { namespace: "other" } }),
    ];
    await upstream.arrived(before + calls.length);
    open();
    const seen = await Promise.all(calls.map(async (call) => look(await call)));
    expect(seen.every(({ hit }) => !hit)).toBe(true);
  });

  test("go on with the next one when the first one's caller leaves", async () => {
    const before = upstream.count;
    const open = closeGate();
    const leaving = new AbortController();
    const first = chat("leaves", {}, { signal: leaving.signal });
    await upstream.arrived(before + 1);
    const others = [chat("leaves"), chat("leaves"), chat("leaves")];
    await waiting(3);
    expect(upstream.count).toBe(before + 1);
    leaving.abort();
    await first;
    await upstream.arrived(before + 2);
    open();
    const seen = await Promise.all(others.map(async (call) => look(await call)));
    expect(upstream.count).toBe(before + 2);
    expect(seen.filter(({ hit }) => hit)).toHaveLength(2);
    expect(new Set(seen.map(({ text }) => text)).size).toBe(1);
  });

  test("go on when the reader of the first one's stream leaves", async () => {
    const before = upstream.count;
    const { promise, resolve } = Promise.withResolvers<void>();
    upstream.streamGate = promise;
    const first = await chat("stream leaves", { stream: true });
    const other = chat("stream leaves", { stream: true });
    await waiting(1);
    expect(upstream.count).toBe(before + 1);
    upstream.streamGate = null;
    await first.body?.cancel();
    const seen = await look(await other);
    expect(seen.hit).toBe(false);
    expect(seen.text).toEndWith("data: [DONE]\n\n");
    expect(upstream.count).toBe(before + 2);
    resolve();
  });

  test("do not all fail with the first: the next one is asked, and after two failures each asks for itself", async () => {
    const before = upstream.count;
    const open = closeGate();
    upstream.failures = 2;
    const calls = Array.from({ length: 5 }, () => chat("fails", { num_retries: 0 }));
    await upstream.arrived(before + 1);
    await waiting(4);
    open();
    const statuses = await Promise.all(
      calls.map(async (call) => {
        const response = await call;
        await response.text();
        return response.status;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect((await look(await chat("fails"))).hit).toBe(true);
  });

  test.each([false, true])("from before the cache was emptied are not for after it (streamed: %p)", async (stream) => {
    const before = upstream.count;
    const ask = () => chat(`emptied ${stream}`, { stream });
    const open = closeGate();
    const first = ask();
    await upstream.arrived(before + 1);
    const follower = ask();
    await waiting(1);
    expect((await app.call("/api/admin/cache/flush", { method: "POST", key: MASTER_KEY })).status).toBe(200);
    const later = ask();
    await upstream.arrived(before + 2);
    open();
    const [one, same, own] = await Promise.all([first, follower, later].map(async (call) => look(await call)));
    expect(same).toMatchObject({ hit: true, text: one?.text ?? "" });
    expect(own).toMatchObject({ hit: false });
    expect(own?.text).not.toBe(one?.text ?? "");
    expect(await look(await ask())).toMatchObject({ hit: true, text: own?.text ?? "" });
  });

  test("that leave while they wait cost nothing", async () => {
    const before = upstream.count;
    const open = closeGate();
    const first = chat("waits");
    await upstream.arrived(before + 1);
    const leaving = new AbortController();
    const left = cancelled().length;
    const follower = chat("waits", {}, { signal: leaving.signal });
    await waiting(1);
    leaving.abort();
    await follower;
    open();
    expect((await look(await first)).hit).toBe(false);
    while (cancelled().length === left) await Bun.sleep(1);
    expect(cancelled().at(-1)).toMatchObject({ cost: 0n, errorCode: "client_left" });
    expect(upstream.count).toBe(before + 1);
  });

  test.each<[object, Record<string, string>]>([
    [{ timeout: 0.01 }, {}],
    [{}, { "x-gw-timeout": "0.01" }],
    [{ stream: true }, { "x-gw-stream-timeout": "0.01" }],
  ])("wait no longer than they would for an answer of their own: %j %j", async (fields, headers) => {
    const before = upstream.count;
    const open = closeGate();
    const question = `patience ${JSON.stringify([fields, headers])}`;
    const stream = "stream" in fields;
    const first = chat(question, { stream });
    await upstream.arrived(before + 1);
    const hasty = chat(question, { ...fields, stream }, { headers });
    await upstream.arrived(before + 2);
    const patient = chat(question, { stream });
    await waiting(1);
    open();
    expect((await look(await first)).hit).toBe(false);
    expect((await look(await patient)).hit).toBe(true);
    expect((await look(await hasty)).hit).toBe(false);
    expect(upstream.count).toBe(before + 2);
  });

  test("whose answer is too long to be kept ask for themselves, at the same time", async () => {
    const before = upstream.count;
    upstream.filler = "x".repeat(1024 * 1024);
    const open = closeGate();
    const calls = Array.from({ length: 3 }, () => chat("long"));
    await upstream.arrived(before + 1);
    await waiting(2);
    open();
    for (const call of calls) expect((await look(await call)).hit).toBe(false);
    expect(upstream.count).toBe(before + 3);
    upstream.filler = "";
  });
});
