import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { chat, FORMS, makeKey, readSaid, startGuarded } from "./guarded-app.ts";

const entry = (name: string, params: object) => ({ guardrail_name: name, litellm_params: params });
const hook = { guardrail: "webhook", api_base: "$HOOK", secret: "s3cret" };
const world = await startGuarded([
  entry("mask-pii", { guardrail: "pii", mode: "pre_call" }),
  entry("block-secrets", { guardrail: "secrets", mode: "pre_call", action: "block" }),
  entry("words", { guardrail: "word_list", mode: "pre_call", words: ["falcon"] }),
  entry("beside", { guardrail: "word_list", mode: "during_call", words: ["heron"] }),
  entry("answer-words", { guardrail: "word_list", mode: "post_call", words: ["osprey"] }),
  entry("answer-pii", { guardrail: "pii", mode: "post_call", action: "mask" }),
  entry("short", { guardrail: "prompt_length", max_characters: 500 }),
  entry("json", {
    guardrail: "json_schema",
    mode: "post_call",
    schema: { type: "object", required: ["a"], properties: { a: { type: "integer" } } },
  }),
  entry("moderated", { guardrail: "moderation", mode: ["pre_call", "post_call"], model: "echo-moderation" }),
  entry("hooked", { ...hook, mode: "pre_call", action: "mask", timeout: 2 }),
  entry("hooked-open", { ...hook, mode: "pre_call", unreachable_fallback: "fail_open" }),
  entry("hooked-answer", { ...hook, mode: "post_call", window_chars: 20 }),
  entry("plugged", { guardrail: "plugin", module: "$PLUGIN", options: { word: "kestrel" } }),
  entry("watching", { ...hook, mode: "logging_only" }),
  entry("stored", { guardrail: "pii", mode: "logging_only" }),
]);
const { app, books, seen } = world;
afterAll(() => world.close());
const using = (...guardrails: unknown[]) => ({ guardrails });
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await Bun.sleep(1);
};

describe.each(FORMS)("an upstream of the %s form", (model) => {
  describe.each([false, true])("streamed: %p", (stream) => {
    const say = (content: unknown, fields: object = {}) => chat(world, model, content, { stream, ...fields });

    test("what is masked in the request is not seen there, and comes back in the answer", async () => {
      const said = await say("say: Dear bob@example.com, your card 4111 1111 1111 1111.", using("mask-pii"));
      expect(said).toMatchObject({
        status: 200,
        text: "Dear bob@example.com, your card 4111 1111 1111 1111.",
        applied: "mask-pii",
        done: true,
      });
      expect(seen.at(-1)).toContain("Dear [EMAIL_1], your card [CREDIT_CARD_1].");
      expect(seen.at(-1)).not.toContain("bob@example.com");
      expect(await books.last()).toMatchObject({ status: "succeeded", errorCode: null });
    });

    test("also in the arguments of tools, which stay JSON", async () => {
      const tools = [{ type: "function", function: { name: "send", parameters: { type: "object", properties: {} } } }];
      const said = await say('say: "bob@example.com"\nor so', { ...using("mask-pii"), tools });
      expect(seen.at(-1)).not.toContain("bob@example.com");
      expect(JSON.parse(said.arguments)).toEqual({ to: '"bob@example.com"\nor so' });
    });

    test("what is refused in the request is never sent, free and written down", async () => {
      const [sent, held] = [seen.length, books.held.length];
      const said = await say(`here: sk-${"aB3dE6gH9jK2mN5p".repeat(2)}`, using("block-secrets"));
      expect(said).toMatchObject({
        status: 400,
        applied: "block-secrets",
        error: {
          name: "ContentPolicyViolationError",
          message: "The guardrail `block-secrets` refused the request: api_key.",
          code: "content_policy_violation",
        },
      });
      expect(said.raw).not.toContain("aB3dE6gH9jK2mN5p");
      await until(() => books.ended.at(-1)?.record.errorCode === "content_policy_violation");
      expect(books.ended.at(-1)?.record).toMatchObject({ status: "rejected", statusCode: 400, cost: 0n, stream });
      expect([seen.length, books.held.length]).toEqual([sent, held]);
    });

    test("what is refused beside the call is charged, and the refusal wins", async () => {
      const said = await say("a heron", using("beside"));
      expect(said).toMatchObject({ status: 400, error: { code: "content_policy_violation" }, applied: "beside" });
      expect(await books.last()).toMatchObject({
        status: "partial",
        statusCode: 400,
        errorCode: "content_policy_violation",
      });
      expect(books.closed.at(-1)).toBeGreaterThan(0n);
      expect(await say("a swan", using("beside"))).toMatchObject({ status: 200, text: "a swan", done: true });
    });

    test("what is refused in the answer is charged, and nothing of it is shown", async () => {
      const said = await say("say: It is an osprey, as you know.", using("answer-words"));
      expect(said.error).toMatchObject({
        message: expect.stringContaining("The guardrail `answer-words` refused the answer: word."),
        code: "content_policy_violation",
      });
      expect(said.raw).not.toContain("osprey");
      expect(said).toMatchObject({ status: stream ? 200 : 400, done: !stream, applied: "answer-words" });
      const record = await books.last();
      expect(record).toMatchObject({ status: "partial", errorCode: "content_policy_violation" });
      expect(record.statusCode).toBe(stream ? 200 : 400);
      expect(record.cost).toBeGreaterThan(0n);
      expect(books.closed.at(-1)).toBe(record.cost);
    });

    test("an answer that is refused from its first word is a plain 400, and is tried nowhere else", async () => {
      const sent = seen.length;
      const said = await say("say: osprey", { ...using("answer-words"), fallbacks: ["echo"] });
      expect(said).toMatchObject({ status: 400, error: { code: "content_policy_violation" } });
      expect(await books.last()).toMatchObject({ status: "partial", statusCode: 400, cost: expect.any(BigInt) });
      expect(seen.length).toBe(sent + 1);
    });

    test("what is masked in the answer stays masked", async () => {
      const said = await say("say: Write to eve@example.com or 10.0.0.1!", using("answer-pii"));
      expect(said).toMatchObject({ text: "Write to [EMAIL_1] or [IP_ADDRESS_1]!", done: true });
      expect(seen.at(-1)).toContain("eve@example.com");
    });

    test("what the caller wrote himself comes back, what the model adds is masked", async () => {
      const said = await say("say: bob@example.com", using("mask-pii", "answer-pii"));
      expect(said).toMatchObject({ text: "bob@example.com", applied: "mask-pii,answer-pii" });
    });

    test("an answer must fit a schema", async () => {
      expect((await say('say: {"a": 1}', using("json"))).text).toBe('{"a": 1}');
      expect(await say('say: {"a": "x"}', using("json"))).toMatchObject({ status: 400 });
    });

    test("a moderation model of the gateway is asked about both", async () => {
      expect(await say("say: have a nice day", using("moderated"))).toMatchObject({
        status: 200,
        text: "have a nice day",
      });
      const said = await say("I will kill you", using("moderated"));
      expect(said).toMatchObject({ status: 400, error: { code: "content_policy_violation" } });
    });

    test("a webhook masks, refuses and may be away", async () => {
      const extra = { hooked: { extra_body: { level: 3 } } };
      world.judge.answer = ({ texts }) => {
        const start = texts[0]?.indexOf("merlin") ?? -1;
        return Response.json({ findings: start < 0 ? [] : [{ category: "bird", index: 0, start, end: start + 6 }] });
      };
      expect((await say("say: a merlin", using(extra))).text).toBe("a merlin");
      expect(seen.at(-1)).toContain("a [BIRD_1]");
      expect(world.judged.at(-1)).toMatchObject({ guardrail: "hooked", phase: "request", model, extra: { level: 3 } });
      world.judge.answer = () => new Response("", { status: 500 });
      expect(await say("x", using("hooked"))).toMatchObject({ status: 503 });
      expect(await say("say: x", using("hooked-open"))).toMatchObject({ status: 200, text: "x" });
      world.judge.answer = ({ texts }) =>
        Response.json({ findings: texts[0]?.includes("merlin") ? [{ category: "b" }] : [] });
      const said = await say(`say: ${"a swan ".repeat(20)}and a merlin`, using("hooked-answer"));
      expect(said.error?.code).toBe("content_policy_violation");
      expect(said.raw).not.toContain("merlin");
      world.judge.answer = () => Response.json({ findings: [] });
      expect((await say(`say: ${"a swan ".repeat(20)}`, using("hooked-answer"))).text).toContain("a swan a swan");
    });

    test("a plugin has its say", async () => {
      expect(await say("a kestrel", using("plugged"))).toMatchObject({ status: 400 });
      expect(await say("say: a swan", using("plugged"))).toMatchObject({ status: 200, text: "a swan" });
    });

    test("a call that no guardrail looks at is as it was", async () => {
      const said = await say("say: bob@example.com and a falcon");
      expect(said).toMatchObject({ status: 200, text: "bob@example.com and a falcon", applied: null });
      expect(seen.at(-1)).toContain("bob@example.com");
    });
  });
});

describe("who decides which guardrails look", () => {
  test("the request, in its body or its metadata, and only for names that there are", async () => {
    expect(await chat(world, "own", "a falcon", { metadata: { guardrails: ["words"] } })).toMatchObject({
      status: 400,
    });
    expect(await chat(world, "own", "a falcon", using({ words: {} }))).toMatchObject({ status: 400, applied: "words" });
    const said = await chat(world, "own", "x", using("nothing"));
    expect(said.error?.message).toContain("There is no guardrail `nothing`.");
    expect((await chat(world, "own", "x", { metadata: { guardrails: "words" } })).status).toBe(400);
  });

  test("the key and the team, whatever the request says", async () => {
    const { key } = await makeKey(world, { guardrails: ["words"] });
    expect(await chat(world, "own", "a falcon", using(), key)).toMatchObject({ status: 400, applied: "words" });
    const team = await app.call("/team/new", {
      key: MASTER_KEY,
      json: { team_alias: "guarded", guardrails: ["mask-pii"] },
    });
    const { team_id, guardrails } = (await team.json()) as { team_id: string; guardrails: string[] };
    expect(guardrails).toEqual(["mask-pii"]);
    const member = await makeKey(world, { team_id, guardrails: ["words"] });
    const said = await chat(world, "own", "say: bob@example.com", {}, member.key);
    expect(said).toMatchObject({ text: "bob@example.com", applied: "mask-pii,words" });
    expect(seen.at(-1)).toContain("[EMAIL_1]");
  });

  test("a key takes no name that there is not", async () => {
    const made = await makeKey(world, { guardrails: ["nothing"] });
    expect([made.status, made.message]).toEqual([400, expect.stringContaining("there is no guardrail `nothing`")]);
  });

  test("those that are on by default look at everything", async () => {
    const strict = await startGuarded([
      entry("always", { guardrail: "word_list", words: ["falcon"], default_on: true }),
    ]);
    try {
      for (const fields of [{}, using(), { metadata: { guardrails: [] } }]) {
        expect(await chat(strict, "own", "a falcon", fields)).toMatchObject({ status: 400, applied: "always" });
      }
      const { key } = await makeKey(strict, { guardrails: ["always"] });
      expect((await chat(strict, "own", "say: x", {}, key)).applied).toBe("always");
    } finally {
      await strict.close();
    }
  });
});

describe("all text of a request", () => {
  const address = "bob@example.com";
  const masked = async (json: object, path = "/v1/chat/completions") => {
    const response = await app.call(path, { key: world.key, json: { model: "own", ...using("mask-pii"), ...json } });
    await response.text();
    expect(response.status).toBe(200);
    return seen.at(-1) ?? "";
  };

  test("parts, results and arguments of tools, system prompts and descriptions", async () => {
    const call = {
      id: "c1",
      type: "function",
      function: {
        name: "f",
        arguments: JSON.stringify({ to: `a\n${address}`, card: 4111111111111111, by: { [address]: true } }),
      },
    };
    const body = await masked({
      messages: [
        { role: "system", content: `You serve ${address}` },
        { role: "user", content: [{ type: "text", text: address }] },
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "c1", content: `sent to ${address}` },
        { role: "user", content: "thanks" },
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "f",
            description: `of ${address}`,
            parameters: { type: "object", properties: { to: { type: "string", enum: [address, "nobody"] } } },
          },
        },
      ],
      response_format: {
        type: "json_schema",
        json_schema: { name: "a", schema: { type: "object", description: `by ${address}`, properties: {} } },
      },
      stop: [`${address} says`],
    });
    expect(body).not.toContain(address);
    expect(body).not.toContain("4111111111111111");
    expect(body.match(/\[EMAIL_1\]/g)?.length).toBe(9);
    const sent = JSON.parse(body).messages[2].tool_calls[0].function.arguments;
    expect(JSON.parse(sent)).toEqual({
      to: "a\n[EMAIL_1]",
      card: "[CREDIT_CARD_1]",
      by: { "[EMAIL_1]": true },
    });
  });

  test("prompts, also as tokens", async () => {
    for (const prompt of [`to ${address}`, [`to ${address}`]]) {
      const response = await app.call("/v1/completions", {
        key: world.key,
        json: { model: "translated", prompt, ...using("mask-pii") },
      });
      expect((await readSaid(response)).text).toBe(`to ${address}`);
      expect(seen.at(-1)).not.toContain(address);
    }
    const { encode } = await import("gpt-tokenizer/encoding/o200k_base");
    const response = await app.call("/v1/completions", {
      key: world.key,
      json: { model: "own", prompt: encode(`to ${address}`), ...using("mask-pii") },
    });
    await response.text();
    expect(seen.at(-1)).toContain("to [EMAIL_1]");
  });

  test("texts that are embedded, ranked or moderated", async () => {
    const cases: [string, object][] = [
      ["/v1/embeddings", { model: "echo-embedding", input: [`a ${address} falcon`] }],
      ["/v1/rerank", { model: "ranked", query: "falcon", documents: ["a", { text: "b" }] }],
      ["/v1/moderations", { model: "echo-moderation", input: "falcon" }],
      ["/v1/images/generations", { model: "echo-image", prompt: "a falcon" }],
      ["/v1/audio/speech", { model: "echo-speech", input: "a falcon", voice: "alloy" }],
    ];
    for (const [path, json] of cases) {
      const response = await app.call(path, { key: world.key, json: { ...json, ...using("words") } });
      expect([path, response.status]).toEqual([path, 400]);
      expect(await response.text()).toContain("content_policy_violation");
    }
  });

  test("what was said in a recording, in every format of a transcript", async () => {
    const speech = await app.call("/v1/audio/speech", {
      key: world.key,
      json: {
        model: "echo-speech",
        input: "Write to eve@example.com, says the osprey",
        voice: "alloy",
        response_format: "wav",
      },
    });
    const sound = await speech.blob();
    const transcript = async (fields: Record<string, string>) => {
      const form = new FormData();
      form.set("model", "echo-transcription");
      form.set("file", sound, "a.wav");
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      const response = await app.call("/v1/audio/transcriptions", { key: world.key, body: form });
      return { status: response.status, text: await response.text() };
    };
    for (const format of [{}, { response_format: "text" }, { response_format: "vtt" }, { stream: "true" }]) {
      const masked = await transcript({ ...format, guardrails: "answer-pii" });
      expect([masked.status, masked.text]).toEqual([200, expect.stringContaining("[EMAIL_1]")]);
      expect(masked.text).not.toContain("eve@example.com");
      const refused = await transcript({ ...format, guardrails: '["answer-words"]' });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("content_policy_violation")]);
      expect(await books.last()).toMatchObject({ statusCode: 400, errorCode: "content_policy_violation" });
    }
    expect((await transcript({ prompt: "a falcon", guardrails: "words" })).status).toBe(400);
    expect((await transcript({ prompt: "a heron", guardrails: "beside" })).status).toBe(400);
    expect((await transcript({ guardrails: "beside" })).text).toContain("eve@example.com");
  });

  test("a prompt that is too long", async () => {
    expect((await chat(world, "own", "x".repeat(501), using("short"))).error?.message).toContain("too many characters");
    expect((await chat(world, "own", "say: x", using("short"))).status).toBe(200);
  });
});

describe("what is stored and logged", () => {
  test("has placeholders, never what was found", async () => {
    await (await chat(world, "own", "say: warm up")).raw;
    const organizationId = (await books.last()).organizationId ?? "";
    await app.storage.accounts.organizations.update(organizationId, { storePrompts: true });
    const { key } = await makeKey(world, {});
    const demo = await app.call("/key/info", { key: world.key });
    const { info } = (await demo.json()) as { info: { team_id: string } };
    const own = await makeKey(world, { team_id: info.team_id });
    for (const stream of [false, true]) {
      for (const [names, placeholder] of [
        [["mask-pii"], "[EMAIL_1]"],
        [["answer-pii", "mask-pii"], "[EMAIL_1]"],
        [["stored"], "[EMAIL_1]"],
      ] as const) {
        const said = await chat(world, "own", "say: bob@example.com here", { stream, ...using(...names) }, own.key);
        expect(said.text).toBe("bob@example.com here");
        const { id } = await books.last();
        const contents = await until2(() => app.storage.usage.findContents(id));
        expect(JSON.stringify(contents)).not.toContain("bob@example.com");
        expect(contents.request).toContain(placeholder);
        expect(contents.response).toContain(placeholder);
      }
    }
    expect(key).toBeString();
    await until(() => app.logged.some((line) => line.includes("guardrails found something")));
    expect(app.logged.join("")).toContain('"email":');
    expect(app.logged.join("")).not.toContain("bob@example.com");
  });

  test("those that only watch are asked, and refuse nothing", async () => {
    world.judge.answer = () => Response.json({ findings: [{ category: "seen", index: 0 }] });
    for (const stream of [false, true]) {
      const before = world.judged.length;
      const said = await chat(world, "own", "say: hello there", { stream, ...using("watching") });
      expect(said).toMatchObject({ status: 200, text: "hello there", applied: null });
      await until(() => world.judged.length >= before + 2);
      expect(world.judged.slice(before)).toMatchObject([
        { phase: "request", texts: ["say: hello there"] },
        { phase: "answer", texts: ["hello there"] },
      ]);
    }
  });
});

async function until2<T>(find: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await find();
    if (found) return found;
    await Bun.sleep(1);
  }
}
