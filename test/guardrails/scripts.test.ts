import { afterAll, beforeAll, expect, test } from "bun:test";
import { chat, type GuardedApp, startGuarded } from "./guarded-app.ts";

let guarded: GuardedApp;
beforeAll(async () => {
  guarded = await startGuarded([
    { guardrail_name: "pii", litellm_params: { guardrail: "pii", default_on: true } },
    {
      guardrail_name: "names",
      litellm_params: { guardrail: "word_list", mode: ["pre_call", "post_call"], words: ["Falcon", "東京計画"] },
    },
  ]);
});
afterAll(() => guarded.close());

test.each(["falcon🚀 starts", "_Falcon_ starts", "Falconの始まり", "これは東京計画です", "ＦＡＬＣＯＮ"])(
  "a name of the list is refused wherever a script lets it stand: %s",
  async (content) => {
    const { status, error } = await chat(guarded, "own", content, { guardrails: ["names"] });
    expect({ status, name: error?.name }).toEqual({ status: 400, name: "ContentPolicyViolationError" });
  },
);

test.each([false, true])(
  "wide digits and letters are masked, and come back as they were (stream: %p)",
  async (stream) => {
    const said = "電話０９０－１２３４－５６７８、ｂｏｂ＠ｅｘａｍｐｌｅ．ｃｏｍ";
    const { text } = await chat(guarded, "own", `say: ${said}`, { stream });
    expect(text).toBe(said);
    expect(guarded.seen.at(-1)).toContain("電話[PHONE_1]、[EMAIL_1]");
  },
);
