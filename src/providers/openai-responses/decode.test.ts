import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { always, tripped } from "../../../test/upstreams/hostile.ts";
import { joinChunks } from "../../../test/upstreams/join-chunks.ts";
import { lookAtResponse, responseAnswer, responseEvents } from "../../../test/upstreams/openai-responses.ts";
import type { Reply } from "../../../test/upstreams/script.ts";
import type { ChatAnswer, ChatChunk, ChatRequest } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { openaiResponses } from "../openai/provider.ts";
import { jsonOf, targetOf } from "../openai/test-target.ts";

const target = targetOf("openai", { upstreamModel: "o3-pro" });
const facts = { id: "chatcmpl-1", createdSeconds: 1, model: "mine", target };
const asked = { model: "mine", messages: [{ role: "user", content: "Hi" }] } as ChatRequest;
const { chat } = openaiResponses;
if (!chat?.decode || !chat.stream) throw new Error("the dialect is not whole");
const { encode, decode, stream } = chat;

const whole = (body: unknown): ChatAnswer => decode(body, asked, facts);
function streamed(...events: readonly object[]): ChatChunk[] {
  const decoder = stream.decoder(asked, facts);
  const chunks = events.flatMap((event) => decoder.push({ name: null, data: JSON.stringify(event) }));
  return [...chunks, ...decoder.end()];
}
const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
};

const message = (text: string, id = "m") => ({
  ...{ type: "message", id, role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [] }],
});
const call = (name: string, given: string, call_id: string) => ({
  ...{ type: "function_call", id: `fc_${call_id}`, call_id, name, arguments: given, status: "completed" },
});
const thought = (id: string, ...texts: string[]) => ({
  ...{ type: "reasoning", id, encrypted_content: `sealed-${id}` },
  summary: texts.map((text) => ({ type: "summary_text", text })),
});
const response = (output: readonly object[], more: object = {}) => ({
  ...{ id: "resp_1", object: "response", status: "completed", error: null, incomplete_details: null, output },
  usage: {
    ...{ input_tokens: 30, input_tokens_details: { cached_tokens: 10 }, total_tokens: 50 },
    ...{ output_tokens: 20, output_tokens_details: { reasoning_tokens: 8 } },
  },
  service_tier: "default",
  ...more,
});
const completed = (output: readonly object[]) => ({ type: "response.completed", response: response(output) });

test("the sources of a web search are a chat's annotations, whole and streamed", () => {
  const citation = { start_index: 0, end_index: 2, title: "A page", url: "https://example.com" };
  const annotation = { type: "url_citation", ...citation };
  const cited = { ...message("Hi"), content: [{ type: "output_text", text: "Hi", annotations: [annotation, {}] }] };
  const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } };
  const expected = [{ type: "url_citation", url_citation: citation }];
  const { choices } = whole(response([search, cited]));
  expect(choices[0]?.message).toMatchObject({ content: "Hi", annotations: expected });
  const place = { item_id: "m", output_index: 1, content_index: 0 };
  const chunks = streamed(
    { type: "response.output_item.added", output_index: 1, item: { ...message(""), content: [] } },
    { type: "response.output_text.delta", ...place, delta: "Hi" },
    { type: "response.output_text.annotation.added", ...place, annotation_index: 0, annotation },
    completed([search, cited]),
  );
  const deltas = chunks.map((chunk) => chunk.choices[0]?.delta as { annotations?: unknown } | undefined);
  expect(deltas.flatMap((delta) => delta?.annotations ?? [])).toEqual(expected);
});

describe("an answer", () => {
  test("says, thinks, calls and counts what the response did", () => {
    const output = [thought("rs_1", "One.", "Two."), message("I look."), call("look", '{"at":1}', "c1")];
    const answer = whole(response(output));
    expect(answer).toMatchObject({ id: "chatcmpl-1", model: "mine", created: 1, service_tier: "default" });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "I look.",
        reasoning_content: "One.\n\nTwo.",
        tool_calls: [{ id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } }],
      },
    });
    expect(answer.usage).toEqual({
      ...{ prompt_tokens: 30, completion_tokens: 20, total_tokens: 50 },
      prompt_tokens_details: { cached_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 8 },
    });
  });

  test("that was refused has no content, streamed or not", () => {
    const refused = { ...message(""), content: [{ type: "refusal", refusal: "No." }] };
    const plain = whole(response([refused])).choices[0];
    expect(plain).toMatchObject({ finish_reason: "stop", message: { content: null, refusal: "No." } });
    const joined = joinChunks(
      streamed(
        { type: "response.refusal.delta", output_index: 0, delta: "N" },
        { type: "response.refusal.delta", output_index: 0, delta: "o." },
        completed([refused]),
      ),
    );
    expect(joined.choices[0]).toEqual(plain as NonNullable<typeof plain>);
  });

  test.each([
    [{ reason: "max_output_tokens" }, "length"],
    [{ reason: "content_filter" }, "content_filter"],
    [null, "length"],
  ] as const)("that is incomplete by %j ended with %s", (incomplete_details, finish_reason) => {
    const cut = response([message("A ca")], { status: "incomplete", incomplete_details });
    expect(whole(cut).choices[0]).toMatchObject({ finish_reason, message: { content: "A ca" } });
    expect(joinChunks(streamed({ type: "response.incomplete", response: cut })).choices[0]?.finish_reason).toBe(
      finish_reason,
    );
  });

  test("has the odds of its words", () => {
    const odds = { token: "Hi", logprob: -0.1, bytes: [72, 105], top_logprobs: [] };
    const said = { ...message("Hi"), content: [{ type: "output_text", text: "Hi", logprobs: [odds] }] };
    const logprobs = { content: [odds], refusal: null };
    expect(whole(response([said])).choices[0]?.logprobs).toEqual(logprobs);
    const delta = { type: "response.output_text.delta", output_index: 0, delta: "Hi", logprobs: [odds] };
    expect(joinChunks(streamed(delta, completed([said]))).choices[0]?.logprobs).toEqual(logprobs);
  });

  test("of no words is empty, and one without a count has none", () => {
    const answer = whole(response([], { usage: null }));
    expect(answer.choices[0]?.message.content).toBe("");
    expect(answer.usage).toBeUndefined();
  });

  test.each([
    ["server_error", "The server had an error", "upstream"],
    ["rate_limit_exceeded", "Slow down", "rate_limit"],
    ["invalid_prompt", "Your prompt was flagged as violating our usage policy.", "content_policy"],
    ["image_content_policy_violation", "No.", "content_policy"],
    ["invalid_image_url", "The picture cannot be read", "invalid_request"],
    ["context_length_exceeded", "Your input exceeds the context window of this model.", "context_window"],
  ])("that failed with %s is an error of its kind, streamed or not", (code, words, kind) => {
    const error = { code, message: words };
    const failed = response([], { status: "failed", error, usage: null });
    const expected = { kind, message: expect.stringContaining(words) };
    expect(thrownBy(() => whole(failed))).toMatchObject(expected);
    expect(thrownBy(() => streamed({ type: "response.failed", response: failed }))).toMatchObject(expected);
    expect(thrownBy(() => streamed({ type: "error", ...error, param: null }))).toMatchObject(expected);
    expect(thrownBy(() => streamed({ type: "error", error }))).toMatchObject(expected);
  });

  test.each(["in_progress", "queued", "cancelled"])("that is %s is none", (status) => {
    expect(thrownBy(() => whole(response([], { status })))).toMatchObject({ kind: "upstream" });
  });

  test("is read or refused, whatever stands in it", () => {
    const some = response([thought("rs_1", "a"), message("b"), call("f", "{}", "c")]);
    fc.assert(
      fc.property(fc.constantFrom(...tripped(some)), (body) => {
        for (const work of [() => whole(body), () => streamed({ type: "response.completed", response: body })]) {
          const thrown = thrownBy(work);
          if (thrown instanceof Error) expect(thrown).toBeInstanceOf(GatewayError);
        }
      }),
      always(tripped(some)),
    );
  });
});

describe("a stream", () => {
  const REPLIES: readonly Reply[] = [
    { text: "A cat and a dog.", usage: { input: 20, output: 7, cacheRead: 3 } },
    { text: "Two.", reasoning: "One cat, one dog.", usage: { input: 20, output: 7, reasoning: 4 } },
    {
      reasoning: "Look again.",
      toolCalls: [
        { name: "look", arguments: { at: "é" } },
        { name: "look", arguments: {} },
      ],
    },
    { text: "A ca", finish: "length" },
    {},
  ];

  test.each(REPLIES.map((reply) => [reply]))("says what the whole would have said: %o", (reply) => {
    const seen = lookAtResponse(jsonOf(encode({ ...asked, reasoning_summary: "auto" } as ChatRequest, target)));
    const { before, told } = responseEvents(seen, reply);
    const end = told.at(-1) as { response: object };
    const plain = { ...whole(end.response) };
    const chunks = streamed(...before, ...told);
    expect(chunks.at(-1)).toMatchObject({ usage: plain.usage, service_tier: "default" });
    delete (plain as { service_tier?: unknown }).service_tier;
    expect(joinChunks(chunks)).toEqual(plain);
    expect(responseAnswer(seen, reply).usage?.input_tokens).toBe(plain.usage?.prompt_tokens as number);
  });

  test("tells at once what came in no pieces, and only once", () => {
    const output = [thought("rs_1", "Hm."), message("Hello"), call("f", '{"a":1}', "c1"), call("g", "", "c2")];
    const items = output.map((item, output_index) => ({ type: "response.output_item.done", output_index, item }));
    for (const events of [[completed(output)], [...items, completed(output)], [...items, completed([])]]) {
      const { choices } = joinChunks(streamed(...events));
      expect(choices).toEqual(whole(response(output)).choices as typeof choices);
    }
  });

  test("keeps apart what several messages say and several thoughts think", () => {
    const delta = (type: string, output_index: number, text: string, more: object = {}) => ({
      ...{ type, output_index, delta: text, ...more },
    });
    const { choices } = joinChunks(
      streamed(
        delta("response.reasoning_summary_text.delta", 0, "One.", { summary_index: 0 }),
        delta("response.reasoning_summary_text.delta", 0, "Two.", { summary_index: 1 }),
        delta("response.output_text.delta", 1, "First."),
        delta("response.reasoning_text.delta", 2, "Three.", { content_index: 0 }),
        delta("response.output_text.delta", 3, "Second."),
        completed([]),
      ),
    );
    expect(choices[0]?.message).toMatchObject({
      content: "First.\n\nSecond.",
      reasoning_content: "One.\n\nTwo.\n\nThree.",
    });
  });

  test("says nothing before the first word, so that a failure can be made good elsewhere", () => {
    const decoder = stream.decoder(asked, facts);
    const push = (event: object) => decoder.push({ name: null, data: JSON.stringify(event) });
    expect(push({ type: "response.created", response: { id: "resp_9" } })).toEqual([]);
    expect(push({ type: "response.in_progress", response: { id: "resp_9" } })).toEqual([]);
    const item = { type: "message", id: "m", content: [] };
    expect(push({ type: "response.output_item.added", output_index: 0, item })).toEqual([]);
    const chunks = push({ type: "response.output_text.delta", output_index: 0, delta: "H" });
    expect(chunks.map(({ id, choices }) => [id, choices[0]?.delta])).toEqual([
      ["chatcmpl-9", { role: "assistant" }],
      ["chatcmpl-9", { content: "H" }],
    ]);
    expect(decoder.isWhole).toBe(false);
    expect(() => decoder.end()).toThrow("broke off");
  });

  test.each(["nothing", "[1]", '"x"'])("that holds %s for an event is a fault of the upstream", (data) => {
    const decoder = stream.decoder(asked, facts);
    expect(thrownBy(() => decoder.push({ name: null, data }))).toMatchObject({ kind: "upstream" });
  });
});

describe("sealed thoughts", () => {
  const output = [
    ...[thought("rs_1"), message("I look."), thought("rs_2"), thought("rs_3"), call("look", "{}", "c1")],
    ...[call("look", "{}", "c2"), thought("rs_4")],
  ];
  const said = whole(response(output)).choices[0]?.message;
  const next = (turn: object, at = target) => {
    const results = ["c1", "c2"].map((tool_call_id) => ({ role: "tool", tool_call_id, content: "x" }));
    const messages = [...asked.messages, turn, ...results];
    return jsonOf(encode({ ...asked, messages } as ChatRequest, at)).input as { type: string; id?: string }[];
  };

  test("come back right before what they led to, and those that led to nothing do not", () => {
    const kinds = next(said as object).map(({ type, id }) => (type === "reasoning" ? id : type));
    const turn = ["rs_1", "message", "rs_2", "rs_3", "function_call", "function_call"];
    expect(kinds).toEqual(["message", ...turn, "function_call_output", "function_call_output"]);
    const sealed = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed-rs_1" };
    expect(next(said as object)).toContainEqual(sealed as never);
  });

  test("of a stream are the same", () => {
    const lists = streamed(completed(output)).flatMap(({ choices }) => {
      const fields = choices[0]?.delta.provider_specific_fields as { reasoning_items: object[] } | undefined;
      return fields?.reasoning_items ?? [];
    });
    expect({ reasoning_items: lists }).toEqual(said?.provider_specific_fields as { reasoning_items: object[] });
  });

  test("go to no other account, which could not read them", () => {
    const other = targetOf("openai", { upstreamModel: "o3-pro", apiKey: "sk-another" });
    expect(next(said as object, other).filter(({ type }) => type === "reasoning")).toEqual([]);
  });

  test("of a turn that says nothing are left out with it", () => {
    const provider_specific_fields = said?.provider_specific_fields;
    const messages = [...asked.messages, { role: "assistant", content: "", provider_specific_fields }];
    expect(jsonOf(encode({ ...asked, messages } as ChatRequest, target)).input).toHaveLength(1);
  });
});
