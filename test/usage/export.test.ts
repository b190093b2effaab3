import { afterAll, describe, expect, test } from "bun:test";
import { cellOf } from "../../src/routes/usage/csv.ts";
import { newPerson } from "../accounts/people.ts";
import { startApp } from "../app.ts";
import { newCall } from "../storage/new-usage.ts";

const app = await startApp();
afterAll(() => app.close());

const exported = (token: string, query: string) => app.call(`/api/gw/logs/export?${query}`, { key: token });

describe("an export", () => {
  test("as CSV has one line for each call, and no formula", async () => {
    const { ownId, token } = await newPerson(app);
    const calls = [
      newCall({ organizationId: ownId, at: 1000, endUser: '=HYPERLINK("http://x")', userAgent: "a,\nb" }),
      newCall({ organizationId: ownId, at: 2000, keyName: "-1+1|cmd", tags: ["x", "y"] }),
    ];
    await app.storage.usage.record(calls);
    const answer = await exported(token, "");
    expect(answer.headers.get("content-type")).toStartWith("text/csv");
    expect(answer.headers.get("content-disposition")).toContain('filename="usage.csv"');
    const text = await answer.text();
    expect(text).toStartWith("id,createdAt,organizationId,");
    expect(text).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(text).toContain('"a,\nb"');
    expect(text).toContain(`"'-1+1|cmd"`);
    expect(text.indexOf(String(calls[0]?.id))).toBeLessThan(text.indexOf(String(calls[1]?.id)));
  });

  test.each([
    ["=1", "=1"],
    [-5, -5],
    [false, "false"],
    [null, null],
    [["a"], '["a"]'],
  ])("has %p as the cell %p", (value, cell) => {
    expect(cellOf(value)).toBe(cell);
  });

  test("as JSON lines has the records of the list, narrowed by its filter", async () => {
    const { ownId, token } = await newPerson(app);
    const calls = [1, 2, 3].map((at) => newCall({ organizationId: ownId, at, model: at === 2 ? "two" : "other" }));
    await app.storage.usage.record(calls);
    const answer = await exported(token, "format=jsonl&model=two");
    expect(answer.headers.get("content-type")).toStartWith("application/jsonl");
    const lines = (await answer.text()).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).id)).toEqual([calls[1]?.id]);
    expect((await exported(token, "format=xml")).status).toBe(400);
    expect(await (await exported(token, "format=jsonl&model=none")).text()).toBe("");
  });

  test("of 100,000 calls is whole, and never held in memory", async () => {
    const { ownId, token } = await newPerson(app);
    const total = 100_000;
    for (let at = 0; at < total; at += 5_000) {
      await app.storage.usage.record(
        Array.from({ length: 5_000 }, (_, index) => newCall({ organizationId: ownId, keyId: "k", at: at + index + 1 })),
      );
    }
    const { body } = await exported(token, "format=csv");
    if (!body) throw new Error("no body");
    let [bytes, lines, largest, last] = [0, 0, 0, ""];
    const decoder = new TextDecoder();
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      largest = Math.max(largest, chunk.byteLength);
      const text = decoder.decode(chunk, { stream: true });
      lines += text.split("\r\n").length - 1;
      last = text;
    }
    expect(lines).toBe(total + 1);
    expect(last).toEndWith("\r\n");
    // What is handed over at a time is a small part of the whole, however long that is.
    expect(bytes).toBeGreaterThan(25_000_000);
    expect(largest).toBeLessThan(1_000_000);
  }, 120_000);

  test("reads no further than the client does", async () => {
    const { ownId, token } = await newPerson(app);
    await app.storage.usage.record(Array.from({ length: 1_200 }, (_, at) => newCall({ organizationId: ownId, at })));
    const list = app.storage.usage.list;
    let reads = 0;
    (app.storage.usage as { list: typeof list }).list = (...args) => {
      reads++;
      return list(...args);
    };
    const { body } = await exported(token, "");
    const reader = body?.getReader();
    await reader?.read();
    await app.storage.accounts.settings.find("a round trip");
    expect(reads).toBeLessThanOrEqual(2);
    await reader?.cancel();
    (app.storage.usage as { list: typeof list }).list = list;
  });
});
