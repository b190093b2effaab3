import { afterAll, describe, expect, test } from "bun:test";
import { startStrictApp } from "./strict-app.ts";

const strict = await startStrictApp();
afterAll(() => strict.close());

const object = { type: "object", properties: { task: { type: "string" } }, additionalProperties: false };
const func = (name: string) => ({ type: "function", name, description: "Does it.", strict: false, parameters: object });

/** A request of Codex with its default settings. */
const asked = (model: string, input: unknown = "hi") => ({
  model,
  instructions: "You are a coding agent.",
  input,
  tools: [
    func("exec_command"),
    { type: "namespace", name: "multi_agent_v1", description: "Agents.", tools: [func("spawn_agent"), func("wait")] },
    { type: "web_search", external_web_access: false },
  ],
  tool_choice: "auto",
  parallel_tool_calls: false,
  store: false,
  stream: false,
  include: [],
  prompt_cache_key: "session-1",
  client_metadata: { "x-codex-installation-id": "abc" },
});

interface Parsed {
  readonly output: readonly Readonly<Record<string, unknown>>[];
  readonly error?: { readonly message: string };
}

describe.each(["gpt", "reasoner", "responses", "claude", "gemini"])("Codex's request to %s", (model) => {
  test("is accepted, and a call of a namespace's tool names the namespace", async () => {
    strict.reply = ({ tools, toolResults }) =>
      toolResults.length > 0
        ? { text: "done" }
        : { toolCalls: [{ name: tools.includes("spawn_agent") ? "spawn_agent" : "none", arguments: { task: "x" } }] };
    const response = await strict.post("/v1/responses", asked(model));
    const { output, error } = (await response.json()) as Parsed;
    expect(error ?? null).toBeNull();
    const call = output.find(({ type }) => type === "function_call");
    expect(call).toMatchObject({ name: "spawn_agent", namespace: "multi_agent_v1" });
    const message = { type: "message", role: "user", content: "hi" };
    const result = { type: "function_call_output", call_id: call?.call_id, output: "started" };
    const next = await strict.post("/v1/responses", asked(model, [message, call, result]));
    expect(((await next.json()) as Parsed).output.at(-1)).toMatchObject({ content: [{ text: "done" }] });
  });

  test("names the dropped fields in a header, and nothing is dropped at its own API", async () => {
    strict.reply = () => ({ text: "hello" });
    const response = await strict.post("/v1/responses", asked(model));
    expect(response.status).toBe(200);
    const dropped = response.headers.get("x-gw-dropped-params");
    if (model !== "responses") {
      expect(dropped).toBe("client_metadata, web_search_options");
      expect(strict.seen).not.toHaveProperty("client_metadata");
      return;
    }
    expect(dropped).toBeNull();
    expect(strict.seen.client_metadata).toEqual({ "x-codex-installation-id": "abc" });
    expect(strict.seen.tools).toContainEqual({ type: "web_search", external_web_access: false });
  });
});

test.each(["gpt", "responses", "claude", "gemini"])(
  "Codex's request for a model that it knows by name is accepted, whichever model that is: %s",
  async (model) => {
    strict.reply = ({ tools }) => ({ toolCalls: [{ name: tools[1] ?? "", arguments: { input: "a patch" } }] });
    const response = await strict.post("/v1/responses", {
      ...{ ...asked(model), reasoning: { effort: "medium" }, text: { verbosity: "low" } },
      tools: [
        { ...func("exec_command"), defer_loading: true },
        { type: "custom", name: "apply_patch", format: { type: "grammar", syntax: "lark", definition: "start: x" } },
        { type: "tool_search" },
        { type: "web_search", external_web_access: false },
      ],
    });
    const { output, error } = (await response.json()) as Parsed;
    expect(error ?? null).toBeNull();
    expect(output.at(-1)).toMatchObject({ type: "custom_tool_call", name: "apply_patch", input: "a patch" });
    expect(response.headers.get("x-gw-dropped-params")).toContain("tool_search");
  },
);

test.each(["gpt", "responses", "claude", "gemini"])("Codex's search for tools loads them: %s", async (model) => {
  const parameters = { type: "object", properties: { query: { type: "string" } }, additionalProperties: false };
  const tools = [{ type: "tool_search", execution: "client", description: "Finds tools.", parameters }];
  const ask = async (input: unknown) => {
    const response = await strict.post("/v1/responses", { model, input, tools, store: false });
    return (await response.json()) as Parsed;
  };
  strict.reply = ({ tools: [first = ""] }) => ({ toolCalls: [{ name: first, arguments: { query: "agents" } }] });
  const message = { type: "message", role: "user", content: "hi" };
  const { output } = await ask([message]);
  const [search] = output.filter(({ type }) => type !== "reasoning");
  const expected = { type: "tool_search_call", execution: "client", arguments: { query: "agents" } };
  expect(search).toMatchObject(expected);
  const found = [{ type: "namespace", name: "agents", tools: [{ ...func("spawn_agent"), defer_loading: true }] }];
  const result = { ...{ type: "tool_search_output", call_id: search?.call_id, execution: "client" }, tools: found };
  strict.reply = ({ tools: names, toolResults }) => ({
    toolCalls: [{ name: toolResults[0]?.includes("spawn_agent") ? (names[1] ?? "") : "none", arguments: {} }],
  });
  const next = await ask([message, search, result]);
  expect(next.output.at(-1)).toMatchObject({ type: "function_call", name: "spawn_agent", namespace: "agents" });
});

test("a streamed call of a namespace's tool names the namespace", async () => {
  strict.reply = () => ({ toolCalls: [{ name: "wait", arguments: {} }] });
  const response = await strict.post("/v1/responses", { ...asked("gpt"), stream: true });
  const text = await response.text();
  expect(text.match(/"name":"wait","namespace":"multi_agent_v1"/g)?.length).toBeGreaterThan(1);
});

test("tools of one name in two namespaces get different names", async () => {
  const space = (name: string) => ({ type: "namespace", name, tools: [func("search")] });
  strict.reply = ({ tools }) => ({ toolCalls: [{ name: tools[1] ?? "", arguments: {} }] });
  const response = await strict.post("/v1/responses", {
    ...{ model: "gpt", input: "hi", tools: [space("mail"), space("files")] },
    tool_choice: { type: "function", name: "search", namespace: "files" },
  });
  expect(strict.seen.tool_choice).toEqual({ type: "function", function: { name: "files__search" } });
  const { output } = (await response.json()) as Parsed;
  expect(output[0]).toMatchObject({ name: "search", namespace: "files" });
  const wrong = await strict.post("/v1/responses", { model: "gpt", input: "hi", tools: [{ type: "namespace" }] });
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining("`namespace` must have a `name`")]);
});

test("Gemini searches the web where a request offers no functions", async () => {
  strict.reply = () => ({ text: "hello" });
  const response = await strict.post("/v1/responses", {
    model: "gemini",
    input: "hi",
    tools: [{ type: "web_search" }],
  });
  expect([response.status, response.headers.get("x-gw-dropped-params")]).toEqual([200, null]);
  expect(strict.seen.tools).toEqual([{ googleSearch: {} }]);
});

test("what is dropped is logged once for a deployment", async () => {
  const lines = () =>
    strict.app.logged.filter((line) => line.includes("dropped fields")).map((line) => JSON.parse(line));
  expect(lines().filter(({ deploymentId }) => deploymentId === "claude-id")).toMatchObject([
    { model: "claude", fields: ["client_metadata", "web_search_options"] },
    { model: "claude", fields: ["tool_search", "verbosity"] },
  ]);
});

describe("A field of another API", () => {
  const messages = [{ role: "user", content: "hi" }];
  const foreign = {
    ...{ client_metadata: { a: "b" }, prompt_cache_retention: "24h", moderation: {}, prompt_cache_options: {} },
    ...{ multi_agent: {}, thread: { type: "create" } },
  };

  test.each(["claude", "gemini"])("does not reach %s from a chat completion", async (model) => {
    const response = await strict.post("/v1/chat/completions", { model, messages, ...foreign });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-gw-dropped-params")).toContain(
      "client_metadata, prompt_cache_retention, moderation",
    );
  });

  test.each(["gpt", "claude", "gemini"])("does not reach %s from a response", async (model) => {
    const { thread: _, ...fields } = foreign;
    const body = {
      model,
      input: "hi",
      ...fields,
      context_management: [],
      prompt_cache_retention: null,
      moderation: null,
    };
    expect((await strict.post("/v1/responses", { ...body, prompt_cache_options: null })).status).toBe(200);
  });

  test.each(["gpt", "responses", "gemini"])("does not reach %s from a message", async (model) => {
    const body = { model, max_tokens: 50, messages, top_k: 5, speed: "fast", diagnostics: {} };
    const response = await strict.post("/v1/messages", body);
    expect([response.status, response.headers.get("x-gw-dropped-params")]).toEqual([
      200,
      expect.stringContaining("diagnostics"),
    ]);
  });

  test("passes to a provider of OpenAI's chat interface, and where `allowed_openai_params` lists it", async () => {
    const unknown = await strict.post("/v1/chat/completions", { model: "gpt", messages, new_field: 1 });
    expect([unknown.status, await unknown.text()]).toEqual([400, expect.stringContaining("new_field")]);
    const allowed = { model: "claude", messages, container: "c", new_field: 1, allowed_openai_params: ["new_field"] };
    const insisted = await strict.post("/v1/chat/completions", allowed);
    expect([insisted.status, await insisted.text()]).toEqual([400, expect.stringContaining("new_field: Extra inputs")]);
  });
});
