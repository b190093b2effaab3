import { describe, expect, test } from "bun:test";
import type { ModerationCreateResponse } from "openai/resources";
import { FLAGGED_PHRASES, moderate } from "./moderation.ts";
import { testEcho } from "./test-echo.ts";

const { json, refusal } = testEcho();
const ask = (input: unknown) => json<ModerationCreateResponse>("moderations", { input });

describe("moderation", () => {
  test("each phrase flags its category, with a score that says the same", () => {
    for (const [category, phrases] of Object.entries(FLAGGED_PHRASES)) {
      for (const phrase of phrases) expect(moderate(`Well, ${phrase.toUpperCase()}!`).categories[category]).toBe(true);
    }
    const { categories, category_scores } = moderate("I will kill you, idiot");
    for (const [category, flagged] of Object.entries(categories))
      expect((category_scores[category] ?? 0) >= 0.5).toBe(flagged);
  });

  test("friendly text is not flagged, nor a word inside another", async () => {
    const { results } = await ask("These are my skills in gardening");
    expect(results[0]?.flagged).toBe(false);
    expect(Object.keys(results[0]?.categories ?? {})).toHaveLength(13);
  });

  test("more hits score higher", () => {
    expect(moderate("kill kill").category_scores.violence).toBeGreaterThan(
      moderate("kill").category_scores.violence ?? 1,
    );
  });

  test("a list has a result for each text, parts of one message have one", async () => {
    expect((await ask(["kill", "hello"])).results.map(({ flagged }) => flagged)).toEqual([true, false]);
    const parts = [
      { type: "text", text: "hello" },
      { type: "image_url", image_url: { url: "data:," } },
    ];
    expect((await ask(parts)).results).toHaveLength(1);
  });

  test("other input is refused", async () => {
    for (const input of [undefined, [], 7, [{ type: "video" }]]) {
      expect(await refusal("moderations", { input })).toMatchObject({ status: 400, param: "input" });
    }
  });
});
