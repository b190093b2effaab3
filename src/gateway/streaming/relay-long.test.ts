import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { relayLong } from "./relay-long.ts";

const USAGE = { prompt_tokens: 9, total_tokens: 9 };
const numbers = (length: number) => Array.from({ length }, (_, index) => index / 7);
/** Of more than one piece. */
const DATA = numbers(30_000);
const bytesOf = (answer: object) => Buffer.from(JSON.stringify(answer));

describe("a long answer", () => {
  test.each([
    ["at its end", (data: number[]) => ({ object: "list", data, model: "theirs", usage: USAGE })],
    ["at its beginning", (data: number[]) => ({ model: "theirs", usage: USAGE, data, object: "list" })],
    ["at both", (data: number[]) => ({ model: "thëirs", object: "list", data, usage: USAGE })],
  ])("with its model and its usage %s is passed on with the caller's name", async (_, answerWith) => {
    const model = fc.constantFrom("m", "ours", "a name that is longer than theirs", 'with "quotes"', "größer");
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60_000 }), model, async (length, name) => {
        const answer = answerWith(numbers(length));
        const relayed = relayLong(bytesOf(answer), name);
        expect(relayed?.usage).toEqual(USAGE);
        const text = await new Response(relayed?.body).text();
        expect(text === JSON.stringify({ ...answer, model: name })).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test("without a count has none", () => {
    expect(relayLong(bytesOf({ data: DATA, model: "theirs" }), "ours")?.usage).toBeNull();
  });

  test.each([
    ["without a model", bytesOf({ data: DATA })],
    ["whose model is out of sight", bytesOf({ before: DATA, model: "theirs", after: DATA })],
    ["that breaks off", bytesOf({ data: DATA, model: "theirs" }).subarray(0, -1)],
  ])("%s is left to be read whole", (_, bytes) => {
    expect(relayLong(bytes, "ours")).toBeNull();
  });

  test("lets others have a turn while it is handed on", async () => {
    const order: string[] = [];
    setImmediate(() => order.push("another"));
    const text = await new Response(relayLong(bytesOf({ data: DATA, model: "theirs" }), "ours")?.body).text();
    order.push("the answer");
    expect(text).toEndWith('"model":"ours"}');
    expect(order).toEqual(["another", "the answer"]);
  });
});
