import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { collectTexts, mapRequestTexts, replaceTexts } from "./request-texts.ts";
import { askedGuardrails } from "./requested-guardrails.ts";

describe("the texts of a request", () => {
  const request = {
    model: "a",
    user: "b",
    metadata: { note: "c" },
    temperature: 1,
    stop: ["stop"],
    messages: [
      { role: "system", content: "one" },
      {
        role: "user",
        content: [
          { type: "text", text: "two" },
          { type: "image_url", image_url: { url: "data:x" } },
        ],
        name: "e",
      },
      {
        role: "assistant",
        tool_calls: [{ id: "f", function: { name: "g", arguments: '{"x":["three",4111111111111111,5]}' } }],
      },
      { role: "tool", tool_call_id: "f", content: "four" },
    ],
    tools: [
      {
        type: "function",
        function: { name: "g", description: "five", parameters: { properties: { h: { type: "string" } } } },
      },
    ],
    extra_body: { own: "six" },
    api_key: "i",
  };

  test("are all that the model reads, and no names or addresses", () => {
    const texts = ["stop", "one", "two", "x", "three", "4111111111111111", "four", "five", "six"];
    expect(collectTexts("chat", request)).toEqual(texts);
    expect(collectTexts("embedding", { model: "m", input: ["a", ["b"]], dimensions: 3 })).toEqual(["a", "b"]);
    expect(collectTexts("rerank", { query: "q", documents: ["a", { text: "b" }], top_n: 1 })).toEqual(["q", "a", "b"]);
    expect(collectTexts("completion", { prompt: "p", suffix: "s", user: "u" })).toEqual(["p", "s"]);
    expect(collectTexts("speech", { input: "i", voice: "v", instructions: "x" })).toEqual(["i", "x"]);
  });

  test("are not in what a provider has sealed: changed, it could not be read any more", () => {
    const sealed = { index: 0, id: "rs_1", encrypted_content: "secret", by: "12345678", call_id: "c" };
    const message = { role: "assistant", content: "one", provider_specific_fields: { reasoning_items: [sealed] } };
    expect(collectTexts("chat", { messages: [message] })).toEqual(["one"]);
  });

  test("are looked for in numbers of documents, and in arguments that are no text", () => {
    const documents = [{ text: "one", card: 4111111111111111, year: 2024 }];
    expect(collectTexts("rerank", { query: "q", documents })).toEqual(["q", "one", "4111111111111111"]);
    const call = { function: { name: "f", arguments: { card: 4111111111111111, list: ["two"] } } };
    const numbers: number[] = [];
    const given = { messages: [{ role: "assistant", tool_calls: [call] }] };
    expect(collectTexts("chat", given, numbers)).toEqual(["4111111111111111", "two", "card", "list"]);
    expect(numbers).toEqual([0]);
  });

  test("are all that is written in arguments, also what one who reads them does not see, and as it is written", () => {
    const written = '{ "a":"one","a":"two", "__proto__":"thr\\u0065e","n":[6304000000000000123,1.50,1e9] }';
    const given = { messages: [{ role: "assistant", tool_calls: [{ function: { name: "f", arguments: written } }] }] };
    const texts = ["a", "one", "a", "two", "__proto__", "three", "n", "6304000000000000123", "1000000000"];
    expect(collectTexts("chat", given)).toEqual(texts);
    const shown = replaceTexts(
      "chat",
      given,
      texts.map((text) => (text === "one" || text.length > 15 ? "[X]" : text)),
    );
    expect(JSON.stringify(shown)).toContain(
      JSON.stringify(written.replace('"one"', '"[X]"').replace("6304000000000000123", '"[X]"')),
    );
  });

  test("are in fields that only a provider knows under any name but those of addresses and bytes", () => {
    const variables = { name: "one", of: [{ name: "two", detail: "three", url: "https://a", data: "AAAA" }] };
    expect(collectTexts("chat", { variables })).toEqual(["one", "two", "three"]);
    expect(collectTexts("chat", { extra_body: { variables } })).toEqual(["one", "two", "three"]);
    expect(collectTexts("embedding", { input: "i", about: { type: "a", name: "one" } })).toEqual(["i", "one"]);
    const call = { type: "function", function: { name: "f", arguments: '{"a":1}' } };
    expect(collectTexts("chat", { examples: [{ tool_calls: [call] }] })).toEqual(["f", "a"]);
    expect(collectTexts("chat", { messages: [{ role: "user", name: "n", content: "c" }] })).toEqual(["c"]);
  });

  const ID = "011CPR5CNjB747bTd36fQLFk";
  const IDS = [
    ["container", `container_${ID}`],
    ["skill_id", `skill_${ID}`],
    ["tool_id", `srvtoolu_${ID}`],
    ["tool_id", `toolu_vrtx_${ID}`],
    ["previous_message_id", `msg_bdrk_${ID}`],
    ["previous_response_id", `resp_${ID}`],
    ["encrypted_index", `${ID}/${ID}+a==`],
    ["encrypted_stdout", `${ID}/${ID}+a==`],
  ] as const;

  test.each(IDS)(
    "are not in %s where it names what a provider has made or sealed, at the top or inside",
    (name, id) => {
      const message = { role: "assistant", content: [{ type: "text", text: "one", of: { [name]: id } }] };
      const given = {
        [name]: id,
        about: { skills: [{ [name]: id }] },
        messages: [message],
        extra_body: { [name]: id },
      };
      expect(collectTexts("chat", given)).toEqual(["one"]);
    },
  );

  test.each(IDS)("are in %s where it holds anything else, or is a field of the caller's own", (name, id) => {
    const key = "sk-ant-aB3dE6gH9jK2mN5pQ8sT1v";
    const others = ["I am Bob", key, `${id} I am Bob`, `I_am_${id}`, `${id}\n`, `${id.split("_")[0]}_${key}`];
    for (const text of others) {
      const messages = [{ role: "user", content: [{ type: "text", of: { [name]: text } }] }];
      expect(collectTexts("chat", { [name]: text, about: [{ [name]: text }], messages })).toEqual([text, text, text]);
    }
    expect(collectTexts("chat", { [name]: [id] })).toEqual([id]);
    expect(collectTexts("rerank", { query: "q", documents: [{ [name]: id }] })).toEqual(["q", id]);
    const call = { function: { name: "f", arguments: JSON.stringify({ [name]: id }) } };
    expect(collectTexts("chat", { messages: [{ role: "assistant", tool_calls: [call] }] })).toEqual([name, id]);
    const tool_use = { type: "tool_use", id: "a", name: "f", input: { [name]: id } };
    expect(collectTexts("chat", { messages: [{ role: "assistant", content: [tool_use] }] })).toEqual([id, name]);
  });

  test("stay where they are when they are replaced, and a request without changes is the same object", () => {
    expect(mapRequestTexts("chat", request, (text) => text)).toBe(request);
    const replaced = replaceTexts("chat", request, ["stop", "ONE", "two", "k", "[X]", "[Y]", "four", "five", "six"]);
    const { messages } = replaced as unknown as typeof request;
    expect(messages[0]?.content).toBe("ONE");
    expect(messages[2]?.tool_calls?.[0]?.function.arguments).toBe('{"k":["[X]","[Y]",5]}');
    expect(messages[3]).toBe(request.messages[3] as (typeof messages)[number]);
    expect(request.messages[0]?.content).toBe("one");
  });

  test("are found in all that a definition of a tool tells the model", () => {
    const parameters = { properties: { a: { type: "string", pattern: "one", $comment: "two" } } };
    const grammar = { syntax: "lark", definition: "three" };
    const tools = [{ function: { name: "f", parameters } }, { custom: { name: "g", format: { grammar } } }];
    const web_search_options = { user_location: { type: "approximate", approximate: { city: "four" } } };
    expect(collectTexts("chat", { tools, web_search_options })).toEqual(["one", "two", "three", "four"]);
  });

  test("are found in examples of a tool's input, and in fields of it that nobody knows", () => {
    const example = { to: "one", name: "two", card: 4111111111111111 };
    const tool = { name: "a", input_examples: [example], notes: { type: "three", more: ["four"] }, format: 5 };
    const texts = ["one", "two", "4111111111111111", "to", "name", "card", "three", "four"];
    expect(collectTexts("chat", { tools: [tool, { type: "function", function: tool }] })).toEqual([...texts, ...texts]);
  });

  test("are no names of a tool, its parameters or what it refers to, whatever these are called", () => {
    const properties = {
      description: { type: "string", description: "one" },
      required: { type: ["string", "null"], default: "two" },
      name: { $ref: "#/$defs/name" },
      properties: { type: "object", properties: { type: { enum: ["three"] } }, required: ["type"] },
    };
    const schema = {
      type: "object",
      properties,
      required: ["name"],
      $defs: { name: { format: "email", title: "four" } },
    };
    const tools = [{ name: "f", input_schema: schema, cache_control: { type: "ephemeral", ttl: "1h" } }];
    expect(collectTexts("chat", { tools })).toEqual(["one", "two", "three", "four"]);
    const given = { response_format: { type: "json_schema", json_schema: { name: "a", schema } } };
    expect(collectTexts("chat", given)).toEqual(["one", "two", "three", "four"]);
  });

  test("are found in arguments that are no JSON, too, and in whatever else a request holds", () => {
    const odd = (text: string) => ({
      messages: [{ role: "assistant", tool_calls: [{ function: { arguments: text } }] }],
    });
    expect(collectTexts("chat", odd("not json"))).toEqual(["not json"]);
    expect(collectTexts("chat", odd("["))).toEqual(["["]);
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const given = { messages: [{ role: "user", content: value }], tools: [{ name: "f", notes: value }, value] };
        expect(mapRequestTexts("chat", given, (text) => text)).toBe(given);
        const count = collectTexts("chat", given).length;
        // Each another one: the names of a tool's input are texts, too, and two that are the same are one.
        let marks = 0;
        const marked = mapRequestTexts("chat", given, () => `@${marks++}`);
        expect(collectTexts("chat", marked)).toEqual(Array.from({ length: count }, (_, at) => `@${at}`));
      }),
    );
  });
});

describe("guardrails that a request names", () => {
  test.each([
    [{}, null],
    [{ guardrails: ["a"] }, [["a", {}]]],
    [{ guardrails: [] }, []],
    [
      { guardrails: "a, b" },
      [
        ["a", {}],
        ["b", {}],
      ],
    ],
    [{ guardrails: '["a"]' }, [["a", {}]]],
    [
      { guardrails: [{ a: { extra_body: { x: 1 } } }], metadata: { guardrails: ["b", "a"] } },
      [
        ["a", { x: 1 }],
        ["b", {}],
      ],
    ],
  ])("of %j", (request, expected) => {
    const asked = askedGuardrails(request);
    expect(asked && [...asked]).toEqual(expected as never);
  });

  test.each([{ guardrails: 3 }, { guardrails: [3] }, { guardrails: "[" }, { metadata: { guardrails: {} } }])(
    "%j is refused",
    (request) => {
      expect(() => askedGuardrails(request)).toThrow("guardrails: expected a list");
    },
  );
});
