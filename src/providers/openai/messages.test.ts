import { describe, expect, test } from "bun:test";
import { tidyMessages, tidyTools } from "./messages.ts";

describe("messages for OpenAI", () => {
  test("lose what our answers add and what clients fill in with null", () => {
    const assistant = {
      role: "assistant",
      content: null,
      refusal: null,
      function_call: null,
      tool_calls: null,
      reasoning_content: "hm",
      thinking_blocks: [{ type: "thinking" }],
      provider_specific_fields: {},
      annotations: [],
    };
    expect(tidyMessages([assistant], {})).toEqual([{ role: "assistant", content: null, annotations: [] }]);
  });

  test("lose what our answers add to a call, for the provider alone that made it", () => {
    const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
    const sealed = { ...call, provider_specific_fields: { thought_signature: "c2ln" } };
    const made = (tool_calls: unknown) => ({ role: "assistant", content: "x", tool_calls });
    expect(tidyMessages([made([sealed, call])], {})).toEqual([made([call, call])]);
    expect(tidyMessages([made([sealed])], { toolId: (id) => `${id}b` })).toEqual([made([{ ...call, id: "ab" }])]);
    expect(tidyMessages([made([sealed])], { keeps: ["provider_specific_fields"] })).toEqual([made([sealed])]);
  });

  test("lose marks of what to cache, on messages, parts and tools", () => {
    const cache_control = { type: "ephemeral" };
    const message = { role: "user", cache_control, content: [{ type: "text", text: "x", cache_control }] };
    expect(tidyMessages([message], {})).toEqual([{ role: "user", content: [{ type: "text", text: "x" }] }]);
    expect(tidyTools([{ type: "function", cache_control }], {})).toEqual([{ type: "function" }]);
    const inside = { type: "function", function: { name: "f", cache_control } };
    expect(tidyTools([inside], {})).toEqual([{ type: "function", function: { name: "f" } }]);
    expect(tidyTools([inside], { keepsCacheControl: true })).toEqual([inside]);
  });

  test("keep those marks where the upstream reads them", () => {
    const message = { role: "user", content: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }] };
    expect(tidyMessages([message], { keepsCacheControl: true })).toEqual([message]);
  });

  test("are renamed by the rules alone, not by names that every object has", () => {
    const message = { role: "assistant", content: "x", constructor: "c", reasoning_content: "hm" };
    expect(tidyMessages([message], { renames: { reasoning_content: "reasoning" } })).toEqual([
      { role: "assistant", content: "x", constructor: "c", reasoning: "hm" },
    ]);
    expect(tidyMessages([{ role: { toString: "" }, name: "n" }], { nameOn: ["user"] })).toEqual([
      { role: { toString: "" } },
    ]);
  });

  test("have a picture's address inside an object", () => {
    const cache_control = { type: "ephemeral" };
    const part = { type: "image_url", image_url: "https://a/b.png", cache_control };
    const tidy = { type: "image_url", image_url: { url: "https://a/b.png" } };
    expect(tidyMessages([{ role: "user", content: [part] }], {})).toEqual([{ role: "user", content: [tidy] }]);
    expect(tidyMessages([{ role: "user", content: [part] }], { keepsCacheControl: true })).toEqual([
      { role: "user", content: [{ ...tidy, cache_control }] },
    ]);
  });

  test("pass as they are when they are something else altogether", () => {
    for (const odd of [null, "x", 5, [null, "x", { content: [null, 5] }]]) expect(tidyMessages(odd, {})).toEqual(odd);
    expect(tidyTools("x", {})).toBe("x");
    expect(tidyTools([null], {})).toEqual([null]);
  });
});

describe("messages for others", () => {
  test("have a system message for the developer's", () => {
    expect(tidyMessages([{ role: "developer", content: "x" }], { developerAsSystem: true })).toEqual([
      { role: "system", content: "x" },
    ]);
  });

  test("have a name only on the roles that may have one", () => {
    const messages = ["user", "tool"].map((role) => ({ role, content: "x", name: "n" }));
    expect(tidyMessages(messages, { nameOn: ["tool"] })).toEqual([{ role: "user", content: "x" }, messages[1]]);
  });

  test("bring reasoning back under the upstream's name", () => {
    const message = { role: "assistant", content: "x", reasoning_content: "hm" };
    expect(tidyMessages([message], { renames: { reasoning_content: "reasoning" } })).toEqual([
      { role: "assistant", content: "x", reasoning: "hm" },
    ]);
    expect(tidyMessages([message], { keeps: ["reasoning_content"] })).toEqual([message]);
  });

  test("are one text where all parts are text, and keep their parts where one is not", () => {
    const text = { type: "text", text: "a" };
    const image = { type: "image_url", image_url: { url: "https://a" } };
    const rules = { flattensText: true };
    expect(tidyMessages([{ role: "user", content: [text, { type: "text", text: "b" }] }], rules)).toEqual([
      { role: "user", content: "a\nb" },
    ]);
    expect(tidyMessages([{ role: "user", content: [text, image] }], rules)).toEqual([
      { role: "user", content: [text, image] },
    ]);
  });

  test("have the same new id on a tool's call and on its result", () => {
    const rules = { toolId: (id: string) => id.toUpperCase() };
    const messages = [
      { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function" }] },
      { role: "tool", content: "x", tool_call_id: "a" },
    ];
    expect(tidyMessages(messages, rules)).toEqual([
      { role: "assistant", content: null, tool_calls: [{ id: "A", type: "function" }] },
      { role: "tool", content: "x", tool_call_id: "A" },
    ]);
  });
});
