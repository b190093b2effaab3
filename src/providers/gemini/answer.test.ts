import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../../test/property-runs.ts";
import { always, tripped } from "../../../test/upstreams/hostile.ts";
import { GatewayError } from "../../contract/errors.ts";
import { gemini } from "./provider.ts";
import { accumulate, chat, eventsOf, facts, fixture, run } from "./test-gemini.ts";

const decode = (body: unknown, request = chat()) => {
  if (!gemini.chat?.decode) throw new Error("no decoder");
  return gemini.chat.decode(body, request, facts);
};
const decoder = (request = chat()) => {
  if (!gemini.chat?.stream) throw new Error("no stream");
  return gemini.chat.stream.decoder(request, facts);
};
const kindOf = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return error.kind;
    throw error;
  }
  return "none";
};
const answerOf = (parts: unknown[], rest: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", ...rest }],
});

describe("a plain answer", () => {
  test("has the text, the caller's model and OpenAI's usage", () => {
    expect(decode(fixture("text"))).toEqual({
      id: "chatcmpl-Abc123",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "my-model",
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: "The sea is deep, and its floor is mostly unmapped." },
          finish_reason: "stop",
        },
      ],
      usage: {
        prompt_tokens: 11,
        completion_tokens: 18,
        total_tokens: 29,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 0 },
        cache_read_input_tokens: 4,
      },
    });
  });

  test("gives parallel calls ids that are the same each time and differ from each other", () => {
    const { message, finish_reason } = decode(fixture("parallel-tools")).choices[0] ?? {};
    expect(finish_reason).toBe("tool_calls");
    expect(message?.content).toBeNull();
    expect(message?.tool_calls).toEqual([
      {
        id: "call_Abc123_0_0",
        type: "function",
        function: { name: "get_weather", arguments: '{"city":"Oslo","days":3}' },
        provider_specific_fields: { thought_signature: "CiQB0e2Kb1parallel==" },
      },
      { id: "call_Abc123_0_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Bergen"}' } },
      { id: "call_Abc123_0_2", type: "function", function: { name: "get_time", arguments: "{}" } },
    ] as never);
  });

  test("keeps the id that Google gave a call", () => {
    expect(decode(fixture("tool-signed")).choices[0]?.message.tool_calls?.[0]?.id).toBe("fc_7d2a91");
  });

  test("has thoughts as reasoning_content, counted into the completion, and their seal for the next turn", () => {
    const { choices, usage } = decode(fixture("reasoning"));
    expect(choices[0]?.message).toEqual({
      role: "assistant",
      content: "9.8 is larger.",
      reasoning_content: "**Weighing it**\n\nFirst I compare the two numbers.",
      provider_specific_fields: { thought_signatures: ["CtQBAVSoXO5text"] },
    });
    expect(usage?.completion_tokens).toBe(221);
    expect(usage?.completion_tokens_details?.reasoning_tokens).toBe(212);
  });

  test("has pictures as data URLs in message.images", () => {
    const { message } = decode(fixture("image")).choices[0] ?? {};
    expect(message?.content).toBe("Here is your dot.");
    expect(message?.images).toEqual([
      { type: "image_url", image_url: { url: expect.stringMatching(/^data:image\/png;base64,iVBOR/) }, index: 0 },
    ]);
  });

  test("counts what Google's own tools read as prompt, and hands on the sources", () => {
    const { choices, usage } = decode(fixture("grounded"));
    expect(usage?.prompt_tokens).toBe(79);
    expect(choices[0]?.message.provider_specific_fields).toHaveProperty("grounding_metadata.webSearchQueries");
  });

  test("has log probabilities in OpenAI's form", () => {
    expect(decode(fixture("logprobs")).choices[0]?.logprobs).toHaveProperty("content", [
      { token: "Ye", logprob: -0.01, bytes: [89, 101], top_logprobs: expect.any(Array) },
      { token: "s", logprob: -0.2, bytes: [115], top_logprobs: expect.any(Array) },
      {
        token: "!",
        logprob: -0.7,
        bytes: [33],
        top_logprobs: [
          { token: "!", logprob: -0.7, bytes: [33] },
          { token: "no", logprob: -4.5, bytes: [110, 111] },
        ],
      },
    ]);
  });

  test.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["BLOCKLIST", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["SPII", "content_filter"],
    ["IMAGE_SAFETY", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "stop"],
    ["OTHER", "stop"],
    ["SOMETHING_NEW", "stop"],
    ["constructor", "stop"],
  ])("that ended with %s has the finish reason %s", (finishReason, expected) => {
    expect(decode(answerOf([{ text: "x" }], { finishReason })).choices[0]?.finish_reason).toBe(expected as never);
  });

  test("answers a request of the older interface with one function_call", () => {
    const request = chat({ functions: [{ name: "get_weather" }] });
    expect(decode(fixture("parallel-tools"), request).choices[0]).toEqual({
      index: 0,
      message: {
        role: "assistant",
        content: null,
        function_call: { name: "get_weather", arguments: '{"city":"Oslo","days":3}' },
      },
      finish_reason: "function_call",
    });
  });

  test("has one call alone when parallel calls are switched off", () => {
    const request = chat({ tools: [{}], parallel_tool_calls: false });
    expect(decode(fixture("parallel-tools"), request).choices[0]?.message.tool_calls).toHaveLength(1);
  });

  test("that was refused for the prompt is a content policy error", () => {
    expect(kindOf(() => decode(fixture("blocked")))).toBe("content_policy");
  });

  test("that is nothing but a malformed call is an upstream error, which can be tried again", () => {
    expect(kindOf(() => decode(fixture("malformed-call")))).toBe("upstream");
  });

  test("that is an error after all is that error", () => {
    expect(kindOf(() => decode(fixture("errors/rate-limit")))).toBe("rate_limit");
    expect(kindOf(() => decode(fixture("errors/context-window-stream")))).toBe("context_window");
  });

  test("has no absurd numbers in its usage", () => {
    const usageMetadata = {
      promptTokenCount: -5,
      candidatesTokenCount: 1e300,
      thoughtsTokenCount: "9",
      cachedContentTokenCount: 7,
    };
    expect(decode({ ...answerOf([{ text: "x" }]), usageMetadata }).usage).toEqual({
      prompt_tokens: 0,
      completion_tokens: 0,
      total_tokens: 0,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
    });
  });
});

describe("a stream", () => {
  const names = [
    "text",
    "parallel-tools",
    "tool-signed",
    "reasoning",
    "image",
    "length",
    "safety",
    "candidates",
    "grounded",
    "logprobs",
  ];
  test.each(names)("of %s says the same as the plain answer", (name) => {
    expect(accumulate(run(decoder(), eventsOf(name)))).toEqual(decode(fixture(name)) as never);
  });

  test("of the older interface says the same as the plain answer", () => {
    const request = chat({ functions: [{ name: "get_weather" }] });
    const chunks = run(decoder(request), eventsOf("parallel-tools"));
    expect(accumulate(chunks)).toEqual(decode(fixture("parallel-tools"), request) as never);
  });

  test("has the same id and time in every chunk, and its usage with the last event", () => {
    const stream = decoder();
    const chunks = eventsOf("text").flatMap((event) => stream.push(event));
    expect(new Set(chunks.map(({ id, created, model }) => `${id} ${created} ${model}`)).size).toBe(1);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 29 } });
    expect(stream.end()).toEqual([]);
  });

  test("of several choices has its usage after the last of them", () => {
    const event = (index: number) => {
      const [candidate] = answerOf([{ text: "x" }]).candidates;
      const body = { candidates: [{ ...candidate, index }], usageMetadata: { promptTokenCount: 1 } };
      return { name: null, data: JSON.stringify(body) };
    };
    const chunks = run(decoder(chat({ n: 2 })), [event(0), event(1)]);
    expect(accumulate(chunks).choices).toHaveLength(2);
    const fewer = run(decoder(chat({ n: 3 })), [event(0), event(1)]);
    expect(fewer.at(-1)).toHaveProperty("usage.prompt_tokens", 1);
  });

  test("whose usage comes after its finish still has it once", () => {
    const stream = decoder();
    const chunks = run(stream, [
      { name: null, data: JSON.stringify(answerOf([{ text: "x" }])) },
      { name: null, data: JSON.stringify({ usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 } }) },
      { name: null, data: JSON.stringify({ usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1 } }) },
    ]);
    expect(chunks.filter(({ usage }) => usage)).toHaveLength(1);
  });

  test("passes over events and fields that it does not know", () => {
    const [first, ...rest] = eventsOf("text");
    if (!first) throw new Error("no events");
    const odd = [
      { name: "ping", data: "{}" },
      { name: null, data: "" },
      { name: null, data: '{"newField":{"a":1}}' },
      { name: null, data: '{"candidates":[{"content":{"parts":[{"executableCode":{"code":"1"}}]}}]}' },
    ];
    const answer = accumulate(run(decoder(), [first, ...odd, ...rest]));
    expect(answer).toEqual(decode(fixture("text")) as never);
  });

  test("that ends before its finish broke off", () => {
    for (const name of names) {
      const stream = decoder();
      for (const event of eventsOf(name).slice(0, 1)) stream.push(event);
      expect(() => stream.end()).toThrow("Google Gemini's stream broke off.");
    }
    expect(kindOf(() => decoder().end())).toBe("upstream");
  });

  test("throws the error that an event holds, also in its list form", () => {
    const error = JSON.stringify(fixture("errors/overloaded"));
    expect(kindOf(() => decoder().push({ name: null, data: error }))).toBe("upstream_unavailable");
    expect(kindOf(() => decoder().push({ name: null, data: `[${error}]` }))).toBe("upstream_unavailable");
    const blocked = JSON.stringify(fixture("blocked"));
    expect(kindOf(() => decoder().push({ name: null, data: blocked }))).toBe("content_policy");
    expect(kindOf(() => decoder().push({ name: null, data: "not json" }))).toBe("upstream");
  });
});

describe("an upstream that answers nonsense", () => {
  const allowed = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
    }
  };

  test.each([[null], [[]], [{}], ["text"], [7], [{ candidates: {} }], [{ candidates: [null] }], [{ candidates: [] }]])(
    "such as %j is an upstream error",
    (body) => {
      expect(kindOf(() => decode(body))).toBe("upstream");
    },
  );

  test.each([
    [{ content: 5 }],
    [{ content: { parts: {} } }],
    [{ content: { parts: [null] } }],
    [{ content: { parts: [{ text: 5 }] } }],
    [{ content: { parts: [{ functionCall: {} }] } }],
    [{ content: { parts: [{ functionCall: { name: "f", args: "x" } }] } }],
    [{ content: { parts: [{ inlineData: {} }] } }],
    [{ index: -1 }],
    [{ index: 1.5 }],
  ])("such as the candidate %j is an upstream error", (candidate) => {
    expect(kindOf(() => decode({ candidates: [candidate] }))).toBe("upstream");
    expect(kindOf(() => decoder().push({ name: null, data: JSON.stringify({ candidates: [candidate] }) }))).toBe(
      "upstream",
    );
  });

  test("never causes another exception", () => {
    fc.assert(
      fc.property(fc.anything(), (body) => {
        allowed(() => decode(body));
        allowed(() => decoder().push({ name: null, data: JSON.stringify(body) ?? "" }));
      }),
      always(ANSWERS.map(fixture).flatMap(tripped)),
    );
  });

  test("never causes another exception where one place of a real answer is anything", () => {
    const bodies = ANSWERS.map(fixture);
    fc.assert(
      fc.property(fc.constantFrom(...bodies), fc.nat(), fc.jsonValue(), (body, at, value) => {
        const changed = replaceAt(body, at, value);
        allowed(() => decode(changed));
        allowed(() => run(decoder(), [{ name: null, data: JSON.stringify(changed) }]));
      }),
      { numRuns: runs(1000) },
    );
  });
});

const ANSWERS = ["text", "parallel-tools", "reasoning", "image", "grounded", "logprobs", "blocked", "tool-signed"];

/** The value with its place number `at`, counted in depth, replaced. */
function replaceAt(body: unknown, at: number, value: unknown): unknown {
  let places = 0;
  JSON.stringify(body, (_, part) => {
    places += 1;
    return part;
  });
  let seen = 0;
  const text = JSON.stringify(body, (_, part) => {
    seen += 1;
    return seen === (at % places) + 1 ? value : part;
  });
  return JSON.parse(text);
}
