import { afterAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { errorFormat } from "../gateway-admin/face.ts";
import { type Fields, type Generated, say, startGoogle, TOOLS, textIn } from "./google-app.ts";

const entry = (name: string, params: object) => ({ guardrail_name: name, litellm_params: params });
const world = await startGoogle({
  guardrails: [
    entry("words", { guardrail: "word_list", mode: "pre_call", words: ["falcon"] }),
    entry("answers", { guardrail: "word_list", mode: "post_call", words: ["ünïcode"] }),
    entry("mask", { guardrail: "pii", mode: "pre_call" }),
  ],
});
const { app, books, key, post, asked } = world;
afterAll(() => world.close());

async function refusal(response: Response) {
  const body = (await response.json()) as { error: { code: number; status: string; message: string } };
  const { details: _, ...error } = body.error as Fields;
  expect<unknown>(error).toEqual({ code: response.status, status: expect.any(String), message: expect.any(String) });
  return { ...body.error, headers: response.headers };
}

const ACTIONS = ["generateContent", "streamGenerateContent", "streamGenerateContent?alt=sse"];

describe("an error has Google's form, whoever throws it:", () => {
  test.each([
    ["a wrong key", "gpt", { "x-goog-api-key": `sk-${"x".repeat(40)}` }, {}, 401, "UNAUTHENTICATED"],
    ["no key", "gpt", { "x-goog-api-key": "" }, {}, 401, "UNAUTHENTICATED"],
    ["an unknown model", "no-such", {}, {}, 404, "NOT_FOUND"],
    ["nothing to answer", "gpt", {}, { contents: [] }, 400, "INVALID_ARGUMENT"],
    ["a role that there is not", "gpt", {}, { contents: [{ role: "robot", parts: [] }] }, 400, "INVALID_ARGUMENT"],
    ["a part with nothing in it", "gpt", {}, { contents: [{ parts: [{}] }] }, 400, "INVALID_ARGUMENT"],
    ["a text that is none", "gpt", {}, { contents: [{ parts: [{ text: 7 }] }] }, 400, "INVALID_ARGUMENT"],
    ["a field that is wrong", "gpt", {}, { generationConfig: { temperature: "hot" } }, 400, "INVALID_ARGUMENT"],
    ["a field of a chat", "gpt", {}, { messages: [] }, 400, "INVALID_ARGUMENT"],
    ["a schema of the gateway's", "gpt", {}, { num_retries: "many" }, 400, "INVALID_ARGUMENT"],
    [
      "a mode that there is not",
      "gpt",
      {},
      { tools: TOOLS, toolConfig: { functionCallingConfig: { mode: "x" } } },
      400,
      "INVALID_ARGUMENT",
    ],
    ["an address of the caller's", "gpt", {}, { api_base: "https://a.test" }, 403, "PERMISSION_DENIED"],
    ["a guardrail", "gpt", {}, { ...say("a falcon"), guardrails: ["words"] }, 400, "INVALID_ARGUMENT"],
  ])("%s", async (_, model, headers, fields, code, status) => {
    for (const action of ACTIONS) {
      expect(await refusal(await post(model, fields, action, headers))).toMatchObject({ code, status });
    }
  });

  test("who sends no key is told where Google's clients have it", async () => {
    const response = await app.call("/v1beta/models/gpt:generateContent", { json: {} });
    const { message } = await refusal(response);
    expect(message).toBe("No API key was sent. Send it in the `x-goog-api-key` header.");
  });

  test.each([
    ["bad_request", 400, "INVALID_ARGUMENT"],
    ["context_window", 400, "INVALID_ARGUMENT"],
    ["content_policy", 400, "INVALID_ARGUMENT"],
    ["auth", 502, "INTERNAL"],
    ["not_found", 404, "NOT_FOUND"],
    ["rate_limit", 429, "RESOURCE_EXHAUSTED"],
    ["server_error", 502, "INTERNAL"],
  ])("the upstream's %s is %i", async (failure, code, status) => {
    for (const model of ["gemini", "gpt", "claude"]) {
      for (const action of ACTIONS) {
        const refused = await refusal(await post(model, say(`fail ${failure}`), action));
        expect([model, refused.code, refused.status]).toEqual([model, code, status]);
      }
    }
    expect((await refusal(await post("claude", say("fail overloaded")))).status).toBe("UNAVAILABLE");
  });

  test("it tells when to try again, in the body too", async () => {
    const response = await post("gpt", say("fail rate_limit"));
    expect(response.headers.get("retry-after")).toBe("3");
    expect(await response.json()).toMatchObject({
      error: { details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3s" }] },
    });
  });

  test("an unknown path and a wrong method", async () => {
    const at = (path: string, json?: object) => app.call(path, { key: MASTER_KEY, ...(json && { json }) });
    expect(await refusal(await at("/v1beta/files", {}))).toMatchObject({ code: 404, status: "NOT_FOUND" });
    expect(await refusal(await at("/v1beta/models/gpt:generateContent"))).toMatchObject({ code: 405 });
    expect(await refusal(await at("/v1beta/models/gpt:predict", {}))).toMatchObject({ code: 404 });
    // What is beside it keeps its own.
    expect(await (await at("/v1/models/no-such")).json()).toMatchObject({ error: { code: "model_not_found" } });
  });
});

describe("guardrails look at", () => {
  const shown = { guardrails: ["mask"], contents: [] as object[] };
  const mail = "ann@example.com";

  test.each([
    ["what is said", { contents: [{ parts: [{ text: `To ${mail}` }] }] }],
    ["instructions", { ...say("hello"), systemInstruction: { parts: [{ text: `To ${mail}` }] } }],
    [
      "arguments and results of functions",
      {
        contents: [
          ...say("use the tool").contents,
          { role: "model", parts: [{ functionCall: { name: "get_time", args: { zone: mail } } }] },
          { role: "user", parts: [{ functionResponse: { name: "get_time", response: { by: mail } } }] },
        ],
      },
    ],
    [
      "descriptions of functions",
      { ...say("hello"), tools: [{ functionDeclarations: [{ name: "a", description: `To ${mail}` }] }] },
    ],
  ])("%s", async (_, fields) => {
    for (const model of ["gemini", "gpt"]) {
      expect((await post(model, { ...shown, ...fields })).status).toBe(200);
      expect(JSON.stringify(asked())).not.toContain(mail);
    }
  });

  test("parts that only Google's models understand", async () => {
    const part = { executableCode: { language: "PYTHON", code: "a falcon" } };
    const contents = [
      { role: "model", parts: [part] },
      { role: "user", parts: [{ text: "hello" }] },
    ];
    expect(await refusal(await post("gemini", { guardrails: ["words"], contents }))).toMatchObject({ code: 400 });
  });

  test("answers, whole and streamed", async () => {
    for (const model of ["gemini", "gpt"]) {
      expect(await refusal(await post(model, { guardrails: ["answers"] }))).toMatchObject({ code: 400 });
      const text = await (await post(model, { guardrails: ["answers"] }, "streamGenerateContent")).text();
      expect(text).toContain('"status":"INVALID_ARGUMENT"');
      expect(text).not.toContain("ünïcode");
    }
  });
});

describe("the key", () => {
  const at = (query: string, headers: Record<string, string> = {}, path = "/v1beta/models/gpt:generateContent") =>
    app.call(path + query, { headers, json: say("hello") });

  test.each([
    ["in Google's header", "", { "x-goog-api-key": key }],
    ["as a bearer value", "", { authorization: `Bearer ${key}` }],
    ["in the address", `?key=${key}`, {}],
    ["in the address, behind others", `?alt=json&key=${key}`, {}],
    ["twice the same", `?key=${key}`, { "x-goog-api-key": key }],
  ])("counts %s", async (_, query, headers) => {
    const response = await at(query, headers as Record<string, string>);
    expect([response.status, textIn([(await response.json()) as Generated])]).toEqual([
      200,
      expect.stringContaining("Echo"),
    ]);
  });

  test.each([
    ["two different ones", `?key=sk-${"y".repeat(40)}`, { "x-goog-api-key": key }],
    ["one that nobody has", `?key=sk-${"y".repeat(40)}`, {}],
    ["something else", "?key=AIzaSyNotOurs", {}],
    ["none", "?key=", {}],
  ])("does not count: %s", async (_, query, headers) => {
    expect(await refusal(await at(query, headers as Record<string, string>))).toMatchObject({ code: 401 });
  });

  test("of an address counts on the paths of Google's interface alone", async () => {
    const response = await app.call(`/v1/models?key=${key}`);
    expect(response.status).toBe(401);
    expect((await app.call(`/v1beta/models?key=${key}`)).status).toBe(200);
  });

  test("of an address is in no log, metric, record or error", async () => {
    const secret = `sk-${"z".repeat(40)}`;
    const answers: Response[] = [];
    for (const one of [key, secret, `canary-${"q".repeat(20)}`]) {
      for (const path of [
        "/v1beta/models/gpt:generateContent",
        "/v1beta/models/no-such:generateContent",
        "/v1beta/nowhere",
      ]) {
        answers.push(await at(`?key=${one}`, {}, path));
      }
      answers.push(await app.call(`/v1beta/models/gpt:generateContent?key=${one}`, { json: say("fail server_error") }));
    }
    const texts = await Promise.all(answers.map(async (one) => JSON.stringify([...one.headers]) + (await one.text())));
    const metrics = await (await app.call("/metrics", { key: MASTER_KEY })).text();
    expect(metrics).toContain("/v1beta/models/{model...}:generateContent");
    const record = JSON.stringify(await books.last(), (_, value) => (typeof value === "bigint" ? `${value}` : value));
    const all = [...texts, ...app.logged, metrics, record].join("\n");
    for (const one of [key, secret, "canary-"]) expect(all.includes(one)).toBeFalse();
  });
});

describe("a key of another tenant", () => {
  /** A key of somebody else's, in the header. */
  async function keyWith(limits: object): Promise<Record<string, string>> {
    const person = await newPerson(app);
    const [first] = await app.storage.accounts.teams.list(person.ownId);
    const body = { name: crypto.randomUUID(), teamId: first?.team.id, ...limits };
    return { "x-goog-api-key": (await errorFormat(app, person.token).post("/api/gw/api-keys", body)).body.key };
  }

  test("does not reach a model that it was not given, nor sees it", async () => {
    const headers = await keyWith({ models: ["claude"] });
    expect((await post("claude", {}, "generateContent", headers)).status).toBe(200);
    for (const action of [...ACTIONS, "countTokens"]) {
      const refused = await refusal(await post("gpt", {}, action, headers));
      expect([403, 404]).toContain(refused.code);
    }
    const list = (await (await app.call("/v1beta/models", { headers })).json()) as { models: { name: string }[] };
    expect(list.models.map(({ name }) => name)).toEqual(["models/claude"]);
    expect(await refusal(await app.call("/v1beta/models/gpt", { headers }))).toMatchObject({ code: 404 });
  });

  test("has limits and credit of its own", async () => {
    const hurried = await keyWith({ rpmLimit: 1 });
    expect((await post("gpt", {}, "generateContent", hurried)).status).toBe(200);
    const limited = await refusal(await post("gpt", {}, "generateContent", hurried));
    expect(limited).toMatchObject({ code: 429, status: "RESOURCE_EXHAUSTED" });
    const { credit } = books;
    books.credit = 0n;
    expect(await refusal(await post("gpt", {}))).toMatchObject({ code: 429, status: "RESOURCE_EXHAUSTED" });
    books.credit = credit;
  });
});

test("a stream whose caller leaves ends at the upstream, and is charged for what was delivered", async () => {
  const fields = say("one two three four five six seven eight nine ten");
  const response = await post("slow", fields, "streamGenerateContent?alt=sse");
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  for (let pieces = 0; pieces < 3; pieces++) await reader.read();
  await reader.cancel();
  const record = await books.last();
  expect(record).toMatchObject({ status: "cancelled", errorCode: "client_left" });
  expect(record.completionTokens).toBeLessThan(10);
});
