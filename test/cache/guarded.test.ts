import { afterAll, describe, expect, test } from "bun:test";
import { restrictedKey } from "../models/restricted-key.ts";
import { look, startCachedApp } from "./cached-app.ts";

const entry = (guardrail_name: string, litellm_params: object) => ({ guardrail_name, litellm_params });
const words = { guardrail: "word_list", words: ["falcon"] };
const place = await startCachedApp(
  {},
  {
    guardrails: [
      entry("before", { ...words, mode: "pre_call", action: "block" }),
      entry("after", { ...words, mode: "post_call", action: "block" }),
      entry("putting back", { guardrail: "pii", mode: "pre_call", action: "mask" }),
      entry("for good", { guardrail: "pii", mode: "pre_call", action: "mask", reversible: false }),
      entry("stored", { guardrail: "pii", mode: "logging_only", action: "mask" }),
      entry("watching", { ...words, mode: "logging_only", action: "block" }),
      entry("short runs", { guardrail: "regex", mode: "logging_only", action: "mask", patterns: ["x+"] }),
    ],
  },
);
afterAll(() => place.close());
const { chat, upstream, app, books } = place;
const guarded = (content: string, name: string, key?: string) =>
  chat(content, { guardrails: [name] }, key === undefined ? {} : { key });

describe("a call with guardrails", () => {
  test("that refuse the request is refused, whatever is kept", async () => {
    await look(await chat("falcon"));
    expect((await guarded("falcon", "before")).status).toBe(400);
    await look(await guarded("dove", "before"));
    expect((await look(await guarded("dove", "before"))).hit).toBe(true);
  });

  test("that look at the answer is not answered from the cache, and its answer is nobody else's", async () => {
    upstream.filler = " falcon";
    expect((await look(await chat("bird"))).hit).toBe(false);
    expect((await look(await chat("bird"))).hit).toBe(true);
    expect((await guarded("bird", "after")).status).toBe(400);
    upstream.filler = "";
    for (let at = 0; at < 2; at++) expect((await look(await guarded("dove", "after"))).hit).toBe(false);
  });

  test("whose own data are put back into the answer shares nothing with others", async () => {
    const before = upstream.count;
    for (const address of ["ann@example.com", "bob@example.com", "ann@example.com"]) {
      expect((await look(await guarded(`I am ${address}`, "putting back"))).hit).toBe(false);
    }
    expect(upstream.count).toBe(before + 3);
  });

  test("whose data are masked for good shares what is left", async () => {
    await look(await guarded("I am ann@example.com", "for good"));
    expect((await look(await guarded("I am bob@example.com", "for good"))).hit).toBe(true);
  });

  test("that mask what is stored have hits stored so, streamed and not", async () => {
    await look(await chat("first"));
    await app.storage.accounts.organizations.update((await books.last()).organizationId ?? "", { storePrompts: true });
    const { key } = await restrictedKey(app, []);
    upstream.filler = " carol@example.com";
    for (const stream of [false, true]) {
      const ask = () => chat("I am ann@example.com", { guardrails: ["stored"], stream }, { key });
      await look(await ask());
      const second = await look(await ask());
      expect(second.hit).toBe(true);
      expect(second.text).toContain("carol@example.com");
      const { id } = await books.last();
      let kept = await app.storage.usage.findContents(id);
      while (!kept) kept = await app.storage.usage.findContents(id);
      expect(`${kept.request} ${kept.response}`).not.toContain("@example.com");
      expect(kept.response).toContain("answer");
    }
  });

  test("that only watch see what hits say, streamed and not", async () => {
    upstream.filler = " falcon";
    const found = () => app.logged.filter((line) => line.includes('"watching":{"word":1}')).length;
    for (const stream of [false, true]) {
      for (const hit of [false, true]) {
        const before = found();
        expect((await look(await chat("seen", { guardrails: ["watching"], stream }))).hit).toBe(hit);
        for (let times = 0; times < 500 && found() === before; times++) await Bun.sleep(1);
        expect([stream, hit, found() - before]).toEqual([stream, hit, 1]);
      }
    }
    upstream.filler = "";
  });

  test("that find more in what is stored than they can mask keep it from being stored, and nothing else", async () => {
    const { key } = await restrictedKey(app, []);
    upstream.filler = "";
    for (const stream of [false, true]) {
      for (const hit of [false, true]) {
        const response = await chat("x".repeat(2_000), { guardrails: ["short runs"], stream }, { key });
        expect([response.status, (await look(response)).hit]).toEqual([200, hit]);
        // Nobody would ever find what is looked for next.
        expect(app.logged.filter((line) => line.includes("could not be written down"))).toEqual([]);
        const { id, promptTokens } = await books.last();
        expect(promptTokens).toBeGreaterThan(0);
        let kept = await app.storage.usage.findContents(id);
        while (!kept) kept = await app.storage.usage.findContents(id);
        expect(kept.request).toBe('"[withheld by a guardrail]"');
        expect(kept.response).toContain("answer");
      }
    }
  });
});
