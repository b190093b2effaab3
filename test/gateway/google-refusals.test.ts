import { afterAll, describe, expect, test } from "bun:test";
import { say, startGoogle, TOOLS } from "./google-app.ts";

const world = await startGoogle();
const { post } = world;
afterAll(() => world.close());

const LONG = "x".repeat(1_000_000);

describe("a name that nobody knows comes back cut:", () => {
  test.each<[string, object]>([
    ["of the request", { [LONG]: 1 }],
    ["of a turn", { contents: [{ [LONG]: 1 }] }],
    ["of a part", { contents: [{ role: "user", parts: [{ [LONG]: 1 }] }] }],
    ["of the generation", { generationConfig: { [LONG]: 1 } }],
    ["of the use of tools", { tools: TOOLS, toolConfig: { [LONG]: 1 } }],
    ["of a tool", { tools: [{ [LONG]: {} }] }],
    ["of a function", { tools: [{ functionDeclarations: [{ name: "f", [LONG]: 1 }] }] }],
    ["of a result", { contents: [{ parts: [{ functionResponse: { name: "f", [LONG]: 1 } }] }] }],
    ["of a schema", { generationConfig: { responseSchema: { type: "OBJECT", properties: { [LONG]: 5 } } } }],
    ["of a fallback's field", { fallbacks: [{ model: "gemini", [LONG]: 1 }] }],
    ["of a fallback", { fallbacks: [LONG] }],
    [
      "of many",
      { contents: [{ parts: [Object.fromEntries(Array.from({ length: 9999 }, (_, at) => [`k${at}`, 1]))] }] },
    ],
  ])("%s", async (_, fields) => {
    const response = await post("gpt", fields);
    const text = await response.text();
    expect([400, 404]).toContain(response.status);
    expect(text.length).toBeLessThan(1000);
  });
});

describe("functions that alone may be called", () => {
  const call = (names: unknown, mode = "ANY", tools: unknown = TOOLS) => ({
    ...say("hello"),
    tools,
    toolConfig: { functionCallingConfig: { mode, allowedFunctionNames: names } },
  });

  test.each([
    ["that are not offered", call(["nope"])],
    ["where none is offered", call(["get_time"], "ANY", [])],
  ])("%s are refused by their name where one has to be called", async (_, fields) => {
    for (const model of ["gpt", "gemini", "claude"]) {
      const response = await post(model, fields);
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("allowedFunctionNames")]);
    }
  });

  test("that are offered are taken", async () => {
    expect((await post("gpt", { ...call(["get_time"]), ...say("use the tool") })).status).toBe(200);
    expect((await post("gpt", call(["nope"], "AUTO"))).status).toBe(200);
  });
});
