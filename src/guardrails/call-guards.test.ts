import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { type GuardrailParams, toGuardrail } from "../contract/guardrails.ts";
import { GuardrailBlock } from "./block.ts";
import type { AnswerPart, CallGuards } from "./call-guards.ts";
import type { JudgeServices, WebhookRequest } from "./guard.ts";
import { GuardrailSet } from "./guardrail-set.ts";
import { defineGuardrail } from "./plugin.ts";

const posted: WebhookRequest[] = [];
const failures: string[] = [];
let answer: (request: WebhookRequest) => unknown = () => ({ findings: [] });
const services: JudgeServices = {
  countTokens: async (text) => text.split(" ").length,
  moderate: async (_, texts) => texts.map((text) => (text.includes("hate") ? ["hate", "violence"] : [])),
  async post(request) {
    posted.push(request);
    const given = await answer(request);
    if (typeof given === "number") return { status: given, text: "" };
    return { status: 200, text: typeof given === "string" ? given : JSON.stringify(given) };
  },
  load: async (path) => {
    if (path === "./deaf.ts") return defineGuardrail({ inspect: () => new Promise<never>(() => undefined) });
    if (path === "./greedy.ts") return { inspect: ({ texts }: { texts: string[] }) => texts.splice(0) && [] };
    if (path !== "./own.ts") throw new Error("no such module");
    return defineGuardrail({
      inspect: ({ texts, options }) =>
        texts.flatMap((text, index) => {
          const start = text.indexOf(String(options.word));
          return start < 0 ? [] : [{ category: "own word", index, start, end: start + String(options.word).length }];
        }),
    });
  },
  failed: (name, error) => failures.push(`${name}: ${error}`),
  nowMs: () => 1_700_000_000_000,
  newId: () => "id-1",
};
const call = { callId: "c1", model: "m", signal: new AbortController().signal };
const setOf = (...entries: (GuardrailParams & { name?: string })[]) =>
  new GuardrailSet(
    entries.map(({ name, ...params }, index) => toGuardrail(name ?? `g${index}`, { default_on: true, ...params })),
    services,
  );
const guardsOf = (...entries: (GuardrailParams & { name?: string })[]): CallGuards => {
  const guards = setOf(...entries).of(call, [], null);
  if (!guards) throw new Error("no guards");
  return guards;
};
const failureOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return "none";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "";
  }
};
async function said(guards: CallGuards, pieces: string[], part: AnswerPart = "content", whole = false) {
  let kept = "";
  const stage = guards.answer(part, whole, (text) => {
    kept += text;
  });
  const out: string[] = [];
  for (const piece of pieces) out.push(await stage.push(piece));
  out.push(await stage.end());
  return { text: out.join(""), kept, out };
}

describe("a request", () => {
  test("is masked by one guardrail after the other, and what was masked comes back", async () => {
    const guards = guardsOf(
      { guardrail: "pii" },
      { guardrail: "word_list", words: ["email", "secret plan"], action: "mask" },
    );
    const texts = guards.request(["The secret plan of bob@example.com", "Email bob@example.com or [EMAIL_1]"]);
    expect(texts).toEqual(["The [WORD_1] of [EMAIL_2]", "[WORD_2] [EMAIL_2] or [EMAIL_1]"]);
    const { text, kept } = await said(guards, ["Dear [EM", "AIL_2], [WORD_1] is [EMAIL_1]"]);
    expect(text).toBe("Dear bob@example.com, secret plan is [EMAIL_1]");
    expect(kept).toBe("Dear [EMAIL_2], [WORD_1] is [EMAIL_1]");
    expect(guards.found).toEqual({ g0: { email: 2 }, g1: { word: 2 } });
  });

  test("is refused with the guardrail and the category, and nothing of what was found", async () => {
    const guards = guardsOf({ guardrail: "pii", action: "block", name: "no personal data" });
    const message = await failureOf(() => guards.request(["bob@example.com"]));
    expect(message).toBe("The guardrail `no personal data` refused the request: email.");
    expect(() => guards.request(["bob@example.com"])).toThrow(GuardrailBlock);
  });

  test("that is not masked reversibly stays masked", async () => {
    const guards = guardsOf({ guardrail: "pii", reversible: false });
    expect(guards.request(["bob@example.com"])).toEqual(["[EMAIL_1]"]);
    expect(guards.checksResponse).toBe(false);
  });

  test("that is too long is refused", async () => {
    const short = guardsOf({ guardrail: "prompt_length", max_characters: 10 });
    expect(await failureOf(() => short.request(["12345", "123456"]))).toContain("too many characters");
    const few = guardsOf({ guardrail: "prompt_length", max_tokens: 3 });
    expect(await failureOf(() => few.request(["one two", "three four"]))).toContain("too many tokens");
    expect(await failureOf(() => few.request(["one", "two three"]))).toBe("none");
  });

  test("is looked at beside the call, which waits", async () => {
    const guards = guardsOf({ guardrail: "moderation", model: "mod", mode: "during_call", categories: ["hate"] });
    expect(await failureOf(() => guards.during(["I hate it"]))).toBe("The guardrail `g0` refused the request: hate.");
    expect(await failureOf(() => guards.during(["I like it", " "]))).toBe("none");
    expect(guardsOf({ guardrail: "pii" }).during(["x"])).toBeNull();
  });
});

test("nobody waits for a judge that heeds no signal, once the caller has left", async () => {
  const left = { ...call, signal: AbortSignal.abort(new Error("the caller has left")) };
  const guards = setOf({ guardrail: "plugin", module: "./deaf.ts", timeout: 0.01 }).of(left, [], null);
  expect(await failureOf(() => guards?.request(["x"]))).toBe("the caller has left");
});

describe("an answer", () => {
  test("is masked over the borders of its pieces", async () => {
    const guards = guardsOf({ guardrail: "pii", mode: "post_call" });
    const { text, kept } = await said(guards, ["Ask bo", "b@exam", "ple.com", " now"]);
    expect([text, kept]).toEqual(["Ask [EMAIL_1] now", "Ask [EMAIL_1] now"]);
  });

  test("is refused before a part of what was found has gone out", async () => {
    const guards = guardsOf({ guardrail: "word_list", words: ["falcon"], mode: "post_call" });
    const stage = guards.answer("content", false, () => undefined);
    expect(stage.push("The project is fal")).toBe("The project is ");
    expect(await failureOf(() => stage.push("con. "))).toBe("The guardrail `g0` refused the answer: word.");
  });

  test("keeps the escapes of JSON whole in arguments of tools", async () => {
    const guards = guardsOf({ guardrail: "pii", mode: ["pre_call", "post_call"] });
    guards.request(["alice@example.com"]);
    const json = JSON.stringify({ a: "x\nbob@example.com\n", b: '"[EMAIL_1]"' });
    const { text } = await said(guards, json.split(""), "arguments");
    expect(JSON.parse(text)).toEqual({ a: "x\n[EMAIL_2]\n", b: '"alice@example.com"' });
  });

  test("is looked at behind the escapes of JSON, too, however they are cut", async () => {
    const json = '{"a":"one\\nfalcon \\ud83d\\ude00\\"","b":["f\\u0061lcon","\\\\","a\\/b"],"n":12}';
    const words: GuardrailParams = { guardrail: "word_list", words: ["falcon"], mode: "post_call" };
    const masked = { a: 'one\n[WORD_1] 😀"', b: ["[WORD_1]", "\\", "a/b"], n: 12 };
    for (let length = 1; length <= json.length; length++) {
      const pieces = json.match(new RegExp(`.{1,${length}}`, "g")) ?? [];
      const { text, kept } = await said(guardsOf({ ...words, action: "mask" }), pieces, "arguments");
      expect(JSON.parse(text)).toEqual(masked);
      expect(kept).toBe(text);
      expect(await failureOf(() => said(guardsOf(words), pieces, "arguments"))).toContain("refused the answer: word");
    }
    for (const broken of ['{"a":"x\\', '{"a":"x\\u12', "nothing", '"', '{"a":"\\u12zz34"'])
      expect((await said(guardsOf(words), broken.split(""), "arguments")).text).toStartWith(broken.slice(0, 5));
  });

  test("must fit a schema", async () => {
    const schema = { type: "object", required: ["a"], properties: { a: { type: "integer" } } };
    const guards = guardsOf({ guardrail: "json_schema", mode: "post_call", schema });
    expect((await said(guards, ['{"a"', ":1}"])).out).toEqual(["", "", '{"a":1}']);
    expect((await said(guards, ['```json\n{"a":1}\n```'])).text).toContain('{"a":1}');
    expect(await failureOf(() => said(guards, ['{"a":"x"}']))).toContain("does not fit the schema");
    expect(await failureOf(() => said(guards, ["Sure!"]))).toContain("not JSON");
    expect((await said(guards, ["{}"], "arguments")).text).toBe("{}");
    for (const fenced of [' ```\n\n{"a":1}\n ```\n', '```json \r\n{"a":1}\r\n```'])
      expect((await said(guards, [fenced])).text).toBe(fenced);
    // An expression that looks for the fence would not come to its end.
    expect(await failureOf(() => said(guards, [`\`\`\`${"\n".repeat(50_000)}x`]))).toContain("not JSON");
  });

  test("is judged in windows, each before it goes out, with the end of the one before", async () => {
    answer = (request) => {
      const { texts } = JSON.parse(request.body) as { texts: string[] };
      return { findings: texts[0]?.includes("XY") ? [{ category: "xy", index: 0 }] : [] };
    };
    const hook = { guardrail: "webhook", api_base: "https://judge.test/x", secret: "s", mode: "post_call" } as const;
    const guards = guardsOf({ ...hook, window_chars: 10 });
    const stage = guards.answer("content", false, () => undefined);
    expect(await stage.push("12345")).toBe("");
    expect(await stage.push("6789X")).toBe("123456789X");
    expect(await stage.push("Y")).toBe("");
    expect(await failureOf(() => stage.end())).toBe("The guardrail `g0` refused the answer: xy.");
  });
});

describe("a webhook", () => {
  const hook = { guardrail: "webhook", api_base: "https://judge.test/x", secret: "s3cret", name: "judge" } as const;

  test("is asked with a signature, and says what to mask", async () => {
    answer = () => ({ findings: [{ category: "code name!", index: 1, start: 4, end: 10 }] });
    const guards = setOf({ ...hook, default_on: false, action: "mask", headers: { "x-team": "a" } }).of(
      call,
      [],
      new Map([["judge", { level: 3 }]]),
    );
    expect(await guards?.request(["one", "the falcon flies"])).toEqual(["one", "the [CODE_NAME__1] flies"]);
    const request = posted.at(-1);
    const signature = createHmac("sha256", "s3cret").update(`id-1.1700000000.${request?.body}`).digest("hex");
    expect(request?.headers).toMatchObject({ "webhook-signature": `v1,${signature}`, "x-team": "a" });
    expect(JSON.parse(request?.body ?? "")).toEqual({
      guardrail: "judge",
      phase: "request",
      callId: "c1",
      model: "m",
      texts: ["one", "the falcon flies"],
      extra: { level: 3 },
    });
  });

  test("that fails refuses the call, unless it may be missing", async () => {
    for (const bad of [() => 500, () => [], () => ({ findings: 1 }), () => Promise.reject(new Error("gone"))]) {
      answer = bad;
      expect(await failureOf(() => guardsOf(hook).request(["x"]))).toBe(
        "The guardrail `judge` cannot be asked at the moment.",
      );
      expect(await failureOf(() => guardsOf({ ...hook, unreachable_fallback: "fail_open" }).request(["x"]))).toBe(
        "none",
      );
    }
    expect(failures.length).toBe(8);
    answer = () => "falcon is what I was asked about";
    expect(await failureOf(() => guardsOf(hook).request(["falcon"]))).toContain("cannot be asked");
    expect(failures.join()).not.toContain("falcon");
  });

  test("that does not answer is not waited for", async () => {
    answer = () => new Promise(() => undefined);
    expect(await failureOf(() => guardsOf({ ...hook, timeout: 0.01 }).request(["x"]))).toContain("cannot be asked");
  });

  test("refuses what it finds in a text that there is not, and a request without any", async () => {
    const mask = { ...hook, action: "mask" } as const;
    for (const index of [7, -1, 0.5, "1"]) {
      answer = () => ({ findings: [{ category: "x", index, start: 0, end: 3 }] });
      expect(await failureOf(() => guardsOf(mask).request(["abcdef", "secret"]))).toContain("refused the request: x");
    }
    answer = () => ({ findings: [{ category: "x" }] });
    expect(await failureOf(() => guardsOf(hook).request([]))).toContain("refused the request: x");
    answer = () => ({
      findings: Array.from({ length: 100_001 }, () => ({ category: "x", index: 0, start: 0, end: 1 })),
    });
    expect(await failureOf(() => guardsOf(mask).request(["abcdef"]))).toContain("refused the request: too much");
  });

  test("masks what holds something that was masked before, and all of it comes back", async () => {
    answer = () => ({ findings: [{ category: "x", index: 0, start: 0, end: 15 }] });
    const guards = guardsOf({ guardrail: "pii" }, { ...hook, action: "mask" });
    expect(await guards.request(["to bob@example.com now"])).toEqual(["[X_1]w"]);
    expect((await said(guards, ["so [X", "_1]w"])).text).toBe("so to bob@example.com now");
  });

  test("cannot mask what it gives no place for", async () => {
    answer = () => ({ findings: [{ category: "x", index: 0, start: 5, end: 99 }] });
    expect(await failureOf(() => guardsOf({ ...hook, action: "mask" }).request(["abc"]))).toContain(
      "refused the request: x",
    );
  });
});

describe("a plugin", () => {
  test("finds what it likes", async () => {
    const guards = guardsOf({ guardrail: "plugin", module: "./own.ts", options: { word: "falcon" }, action: "mask" });
    expect(await guards.request(["a falcon"])).toEqual(["a [OWN_WORD_1]"]);
  });

  test("cannot take from those behind it what they look at", async () => {
    const guards = guardsOf(
      { guardrail: "plugin", module: "./greedy.ts" },
      { guardrail: "word_list", words: ["falcon"] },
    );
    expect(await failureOf(() => guards.request(["falcon"]))).toContain("refused the request: word");
  });

  test("that is not there refuses the call", async () => {
    const guards = guardsOf({ guardrail: "plugin", module: "./missing.ts" });
    expect(await failureOf(() => guards.request(["x"]))).toContain("cannot be asked");
  });
});

describe("which guardrails look at a call", () => {
  const set = new GuardrailSet(
    [
      toGuardrail("always", { guardrail: "pii", default_on: true }),
      toGuardrail("asked", { guardrail: "pii" }),
      toGuardrail("owned", { guardrail: "pii" }),
    ],
    services,
  );

  test("are those that are on, that the key has and that are asked for", () => {
    expect(set.of(call, [], null)?.names).toBe("always");
    expect(set.of(call, ["owned"], new Map([["asked", {}]]))?.names).toBe("always,asked,owned");
    expect(set.of(call, ["owned"], new Map())?.names).toBe("always,owned");
    expect(new GuardrailSet([], services).of(call, [], null)).toBeNull();
  });

  test("must exist", () => {
    expect(() => set.of(call, [], new Map([["other", {}]]))).toThrow("There is no guardrail `other`.");
    expect(() => set.of(call, ["lost"], null)).toThrow("is not configured");
  });
});

test("those that only watch refuse nothing and mask what is stored", async () => {
  const guards = guardsOf(
    { guardrail: "pii", mode: "logging_only", name: "store" },
    { guardrail: "moderation", model: "m", mode: "logging_only", name: "watch" },
    { guardrail: "secrets", mode: "logging_only", action: "block", name: "look" },
  );
  expect(guards.names).toBe("");
  expect(guards.request(["bob@example.com hate"])).toEqual(["bob@example.com hate"]);
  expect(guards.stored(JSON.stringify("x\nbob@example.com"))).toBe(JSON.stringify("x\n[EMAIL_1]"));
  const words = guardsOf({ guardrail: "word_list", words: ["falcon", 'say "x"'], mode: "logging_only" });
  const call = { arguments: JSON.stringify({ a: "one\nfalcon", falcon: 1 }) };
  expect(words.stored(JSON.stringify({ a: "one\nfalcon", b: 'we say "x"', call }))).toBe(
    JSON.stringify({
      a: "one\n[WORD_1]",
      b: "we [WORD_2]",
      call: { arguments: JSON.stringify({ a: "one\n[WORD_1]", "[WORD_1]": 1 }) },
    }),
  );
  expect(guards.stored('{"a":4111111111111111}')).toBe('{"a":"[CREDIT_CARD_1]"}');
  await guards.observe(["hate, password: hunter2-long"], "request");
  expect(guards.found).toEqual({
    store: { email: 1, credit_card: 1 },
    watch: { hate: 1, violence: 1 },
    look: { password: 1 },
  });
});
