import { afterAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { script } from "../e2e/dialect-suite.ts";
import { errorFormat } from "../gateway-admin/face.ts";
import { eventsIn, say, startMessages, textsIn } from "./messages-app.ts";

const entry = (name: string, params: object) => ({ guardrail_name: name, litellm_params: params });
const world = await startMessages({
  guardrails: [
    entry("words", { guardrail: "word_list", mode: "pre_call", words: ["falcon"] }),
    entry("answers", { guardrail: "word_list", mode: "post_call", words: ["ünïcode"] }),
    entry("mask", { guardrail: "pii", mode: "pre_call" }),
    entry("secrets", { guardrail: "secrets", mode: "pre_call" }),
    entry("masked answers", { guardrail: "pii", mode: "post_call" }),
  ],
});
const { app, books, post, seen } = world;
afterAll(() => world.close());

async function refusal(response: Response) {
  const body = (await response.json()) as { error: { type: string; message: string }; request_id: string };
  expect<unknown>(body).toEqual({
    type: "error",
    error: { type: expect.any(String), message: expect.any(String) },
    request_id: response.headers.get("request-id") ?? "",
  });
  return { status: response.status, ...body.error, headers: response.headers };
}

describe("an error has Anthropic's form, whoever throws it:", () => {
  test.each([
    ["a wrong key", { "x-api-key": `sk-${"x".repeat(40)}` }, {}, 401, "authentication_error"],
    ["no key", { "x-api-key": "" }, {}, 401, "authentication_error"],
    ["an unknown model", {}, { model: "no-such" }, 404, "not_found_error"],
    ["a field that is missing", {}, { max_tokens: undefined }, 400, "invalid_request_error"],
    ["a field that is wrong", {}, { messages: [{ role: "robot", content: "" }] }, 400, "invalid_request_error"],
    ["a field of a chat", {}, { n: 2 }, 400, "invalid_request_error"],
    ["an address of the caller's", {}, { api_base: "https://a.test" }, 403, "permission_error"],
    ["a guardrail", {}, { ...say("a falcon"), guardrails: ["words"] }, 400, "invalid_request_error"],
  ])("%s", async (_, headers, fields, status, type) => {
    for (const stream of [false, true]) {
      expect(await refusal(await post({ ...fields, stream }, headers))).toMatchObject({ status, type });
    }
  });

  test.each([
    ["bad_request", 400, "invalid_request_error"],
    ["context_window", 400, "invalid_request_error"],
    ["content_policy", 400, "invalid_request_error"],
    ["auth", 502, "api_error"],
    ["not_found", 404, "not_found_error"],
    ["rate_limit", 429, "rate_limit_error"],
    ["overloaded", 529, "overloaded_error"],
    ["server_error", 502, "api_error"],
  ])("the upstream's %s is %i", async (failure, status, type) => {
    for (const model of ["claude", "gpt"]) {
      if (model === "gpt" && failure === "overloaded") continue;
      const refused = await refusal(await post({ model, ...say(`fail ${failure}`), stream: true }));
      expect([model, refused.status, refused.type]).toEqual([model, status, type]);
    }
  });

  test("its headers tell when to try again, and when it is of no use", async () => {
    const limited = await refusal(await post(say("fail rate_limit")));
    expect([limited.headers.get("retry-after"), limited.headers.get("x-should-retry")]).toEqual(["3", null]);
    expect((await refusal(await post({ model: "no-such" }))).headers.get("x-should-retry")).toBe("false");
  });

  test("an unknown path and a wrong method", async () => {
    for (const path of ["/v1/messages/batches", "/anthropic/v1/files"]) {
      const key = MASTER_KEY;
      expect(await refusal(await app.call(path, { key, json: {} }))).toMatchObject({
        status: 404,
        type: "not_found_error",
      });
    }
    const wrong = await refusal(await app.call("/v1/messages", { key: MASTER_KEY }));
    expect(wrong).toMatchObject({ status: 405, type: "invalid_request_error" });
  });

  test("a limit is 429", async () => {
    const person = await newPerson(app);
    const own = errorFormat(app, person.token);
    const [first] = await app.storage.accounts.teams.list(person.ownId);
    const made = async (limits: object): Promise<Record<string, string>> => {
      const body = { name: crypto.randomUUID(), teamId: first?.team.id, ...limits };
      return { "x-api-key": (await own.post("/api/gw/api-keys", body)).body.key };
    };
    const hurried = await made({ rpmLimit: 1 });
    expect((await post({}, hurried)).status).toBe(200);
    expect(await refusal(await post({}, hurried))).toMatchObject({ status: 429, type: "rate_limit_error" });
  });

  test("credit that is spent is 402", async () => {
    const { credit } = books;
    books.credit = 0n;
    expect(await refusal(await post({}))).toMatchObject({ status: 402, type: "billing_error" });
    books.credit = credit;
  });

  test("a guardrail on the answer, before its first word and behind it", async () => {
    const plain = await post({ guardrails: ["answers"] });
    expect(await refusal(plain)).toMatchObject({ status: 400, type: "invalid_request_error" });
    const events = await eventsIn(await post({ guardrails: ["answers"], stream: true }));
    expect(events.at(-1)).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
  });
});

describe("a stream", () => {
  test.each(["claude", "gpt"])("of %s that breaks ends with an error event, behind what was said", async (model) => {
    for (const words of ["cut", "break"]) {
      const response = await post({ model, stream: true, ...say(words) });
      expect(response.status).toBe(200);
      const events = await eventsIn(response);
      expect(events[0]?.type).toBe("message_start");
      expect("one two three four five six").toStartWith(textsIn(events).join(""));
      expect(events.at(-1)).toMatchObject({ type: "error", error: { type: expect.stringMatching(/_error$/) } });
      expect(events.filter(({ type }) => type === "message_stop" || type === "error")).toHaveLength(1);
      expect(await books.last()).toMatchObject({ status: expect.stringMatching(/^(?:failed|partial)$/) });
    }
  });

  test("whose caller leaves ends at the upstream, and is charged for what was delivered", async () => {
    const words = "one two three four five six seven eight nine ten";
    const fault = { echo_fault: { token_delay_ms: 20 } };
    const response = await post({ model: "echo", stream: true, ...say(words), ...fault });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let pieces = 0; pieces < 3; pieces++) await reader.read();
    await reader.cancel();
    const record = await books.last();
    expect(record).toMatchObject({ status: "cancelled", errorCode: "client_left", endpoint: "/v1/messages" });
    expect(record.completionTokens).toBeLessThan(10);
  });
});

describe("guardrails", () => {
  test("see documents, results and the input of tools, and leave signed thoughts alone", async () => {
    const mail = "bob@example.com";
    const thought = { type: "thinking", thinking: `They are ${mail}.`, signature: "c2lnbmVk" };
    const messages = [
      {
        role: "user",
        content: [
          { type: "document", source: { type: "text", media_type: "text/plain", data: `I am ${mail}` } },
          { type: "text", text: "hello" },
        ],
      },
      {
        role: "assistant",
        content: [thought, { type: "tool_use", id: "toolu_1", name: "send", input: { name: mail, list: [mail] } }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: `Sent to ${mail}` }] },
    ];
    const tools = [{ name: "send", input_schema: { type: "object" } }];
    const response = await post({ messages, tools, guardrails: ["mask"] });
    expect(response.status).toBe(200);
    const sent = script.seen.at(-1)?.body.messages as { content: unknown[] }[];
    expect(sent[1]?.content[0]).toEqual(thought);
    const rest = JSON.stringify([sent[0], sent[1]?.content[1], sent[2]]);
    expect(rest).not.toContain(mail);
    expect(rest).toContain("toolu_1");
  });

  test("do not change ids of what Anthropic has made, nor what it has sealed", async () => {
    const id = "011CPR5CNjB747bTd36fQLFk";
    const sealed = "Eo8BCioIAhgBIiQyYjQ0OWJmZi1lNm2Xo4lQw9sVb3RkZ5";
    const citation = { type: "web_search_result_location", url: "https://a", title: "t", cited_text: "c" };
    const caller = { type: "code_execution_20260120", tool_id: `srvtoolu_${id}` };
    const fields = {
      container: { id: `container_${id}`, skills: [{ type: "custom", skill_id: `skill_${id}`, version: "latest" }] },
    };
    const content = [
      { type: "text", text: "one", citations: [{ ...citation, encrypted_index: sealed }] },
      { type: "tool_use", id: `toolu_${id}`, name: "f", input: {}, caller },
    ];
    const result = { type: "tool_result", tool_use_id: `toolu_${id}`, content: `a key: ${sealed}` };
    const messages = [
      { role: "user", content: "hello" },
      { role: "assistant", content },
      { role: "user", content: [result] },
    ];
    const tools = [{ name: "f", input_schema: { type: "object" } }];
    expect((await post({ ...fields, messages, tools, guardrails: ["secrets"] })).status).toBe(200);
    const sent = script.seen.at(-1)?.body as { messages: { content: unknown }[] };
    expect(sent).toMatchObject(fields);
    expect(sent.messages[1]?.content).toEqual(content);
    expect(sent.messages[2]?.content).toMatchObject([{ ...result, content: "a key: [HIGH_ENTROPY_1]" }]);
    expect((await post({ container: `container_${id}`, guardrails: ["secrets"] })).status).toBe(200);
    expect(script.seen.at(-1)?.body).toMatchObject({ container: `container_${id}` });
  });

  test("that mask an answer leave nothing of it that they did not see", async () => {
    const fields = { ...say("mail bob@example.com"), guardrails: ["masked answers"] };
    const plain = (await (await post(fields)).json()) as { content: { text: string }[] };
    const streamed = textsIn(await eventsIn(await post({ ...fields, stream: true })));
    for (const text of [plain.content[0]?.text, streamed[0]]) {
      expect(text).toStartWith('Echo of "mail');
      expect(text).not.toContain("bob@example.com");
    }
    expect([plain.content.length, streamed.length]).toEqual([1, 1]);
  });

  const MAIL = "bob@example.com";
  const recalling = (signature: string) => ({
    model: "recaller",
    messages: [
      { role: "user", content: "hello" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: `They are ${MAIL}.`, signature },
          { type: "text", text: "Yes." },
        ],
      },
      { role: "user", content: "hello" },
    ],
  });

  test("put nothing into a thought that is signed: it has to fit its signature when it comes back", async () => {
    const thinking = { type: "enabled", budget_tokens: 1024 };
    const fields = { ...say(`think about ${MAIL}`), thinking, guardrails: ["mask"] };
    const plain = (await (await post(fields)).json()) as { content: { thinking?: string }[] };
    const events = await eventsIn(await post({ ...fields, stream: true }));
    const thought = "Let me think about [EMAIL_1].";
    expect([plain.content[0]?.thinking, textsIn(events)[0]]).toEqual([thought, thought]);
    expect(events).toContainEqual(
      expect.objectContaining({ index: 0, delta: { type: "signature_delta", signature: "c2lnbmVk" } }),
    );
  });

  test("see thoughts that nobody has signed", async () => {
    expect((await post({ ...recalling(""), guardrails: ["mask"] })).status).toBe(200);
    expect(script.seen.at(-1)?.body.messages).toMatchObject([
      {},
      { content: "Yes.", reasoning_content: "They are [EMAIL_1]." },
      {},
    ]);
  });

  test("are not passed by thoughts that are said to be signed, where nobody checks that", async () => {
    expect((await post({ ...recalling("made up"), guardrails: ["mask"] })).status).toBe(200);
    expect(JSON.stringify(script.seen.at(-1)?.body)).not.toContain(MAIL);
  });

  test.each(["/v1/messages/count_tokens", "/utils/token_counter?call_endpoint=true"])(
    "keep what they would mask from the provider's counter, too: %s",
    async (path) => {
      const count = async (guardrails: readonly string[]) => {
        const made = await app.call("/key/generate", { json: { guardrails }, key: MASTER_KEY });
        const { key: guarded } = (await made.json()) as { key: string };
        const before = seen.length;
        const response = await app.call(path, { key: guarded, json: { model: "claude", ...say(`I am ${MAIL}`) } });
        const body = (await response.json()) as { input_tokens?: number; total_tokens?: number };
        expect(body.input_tokens ?? body.total_tokens).toBeGreaterThan(5);
        return seen.length - before;
      };
      expect([await count(["mask"]), await count(["answers"]), await count([])]).toEqual([0, 1, 1]);
    },
  );
});
