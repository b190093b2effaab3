import { afterAll, describe, expect, test } from "bun:test";
import { startApp } from "../app.ts";
import { type Fields, say } from "./google-app.ts";

/** Google's models as they are, without a check of what they are asked: it is looked at here. */
let told: Fields = {};
let sent: Fields = {};
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  async fetch(request) {
    sent = (await request.json()) as Fields;
    const said = {
      candidates: [{ content: { role: "model", parts: [{ text: "hello" }] }, finishReason: "STOP", ...told }],
    };
    return request.url.includes("alt=sse") ? new Response(`data: ${JSON.stringify(said)}\n\n`) : Response.json(said);
  },
});
const entry = (name: string, params: object) => ({ guardrail_name: name, litellm_params: params });
const app = await startApp(
  JSON.stringify({
    model_list: [
      {
        model_name: "gemini",
        litellm_params: {
          model: "gemini/gemini-2.5-flash",
          api_base: `http://127.0.0.1:${upstream.port}`,
          api_key: "upstream-secret-0123456789",
        },
        model_info: { input_cost_per_token: "0", output_cost_per_token: "0" },
      },
    ],
    guardrails: [
      entry("mask", { guardrail: "pii", mode: "pre_call" }),
      entry("secrets", { guardrail: "secrets", mode: "pre_call" }),
      entry("hide", { guardrail: "pii", mode: "post_call" }),
      entry("judge", { guardrail: "word_list", mode: "post_call", words: ["falcon"] }),
    ],
  }),
);
const key = app.first.demoKey ?? "";
afterAll(async () => {
  await app.close();
  await upstream.stop(true);
});
const post = (fields: object, action = "generateContent") =>
  app.call(`/v1beta/models/gemini:${action}`, { key, json: { ...say("hello"), ...fields } });
const asked = (): Fields => sent;

const MAIL = "jane@example.com";
const SEAL = Buffer.from("a seal of Google's, 0123456789 ABCDEFGHIJ xyz").toString("base64");

/** As its upstream got it. */
const sentParts = (): Fields[] => (asked().contents as { parts: Fields[] }[]).flatMap(({ parts }) => parts);

describe("a mask reads Google's own parts in full:", () => {
  const held = { name: MAIL, url: MAIL, data: MAIL, id: MAIL, type: [MAIL], deep: { file_id: MAIL } };

  test.each<[string, string, Fields]>([
    ["what a tool gave back", "user", { toolResponse: { id: "1", toolType: "GOOGLE_SEARCH", response: held } }],
    ["what a tool was given", "model", { toolCall: { id: "1", toolType: "GOOGLE_SEARCH", args: held } }],
    ["a call in a turn of the user's", "user", { functionCall: { id: "1", name: "f", args: held } }],
    ["a result in a turn of the model's", "model", { functionResponse: { id: "1", name: "f", response: held } }],
    ["in the other spelling", "user", { tool_response: { id: "1", tool_type: "GOOGLE_SEARCH", response: held } }],
    ["code", "model", { executableCode: { language: "PYTHON", code: `mail("${MAIL}")` } }],
    ["what nobody knows yet", "user", { text: "a", partMetadata: held }],
  ])("%s", async (_, role, part) => {
    const contents = [...say("hello").contents, { role, parts: [part] }, ...say("hello").contents];
    expect((await post({ contents, guardrails: ["mask"] })).status).toBe(200);
    expect(JSON.stringify(asked())).not.toContain(MAIL);
  });

  test("of a chat as well", async () => {
    const content = [{ type: "google_part", google_part: { toolResponse: { id: "1", response: held } } }];
    const json = { model: "gemini", messages: [{ role: "user", content }], guardrails: ["mask"] };
    expect((await app.call("/v1/chat/completions", { key, json })).status).toBe(200);
    expect(JSON.stringify(asked())).not.toContain(MAIL);
  });

  test("names, bytes and what needs no mask stay as they are", async () => {
    const parts = [
      { functionCall: { id: "4111111111111111", name: "f", args: { a: 1, b: [true, null] } } },
      { inlineData: { mimeType: "video/mp4", data: "4111111111111111" }, videoMetadata: { startOffset: "1s" } },
      {
        toolResponse: {
          id: "1",
          toolType: "GOOGLE_SEARCH",
          response: { a: "b" },
          parts: [{ inlineData: { mimeType: "image/png", data: "4111111111111111" } }],
        },
      },
    ];
    expect((await post({ contents: [{ role: "user", parts }], guardrails: ["mask"] })).status).toBe(200);
    expect(sentParts()).toEqual(parts);
  });
});

test("no guardrail touches a seal of Google's own parts", async () => {
  const part = { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: SEAL };
  const contents = [...say("hello").contents, { role: "model", parts: [part] }, ...say("hello").contents];
  for (const name of ["secrets", "mask"]) {
    expect((await post({ contents, guardrails: [name] })).status).toBe(200);
    expect(sentParts()).toContainEqual(part);
  }
});

describe("what Google tells of its sources", () => {
  const sources = {
    groundingMetadata: { groundingSupports: [{ segment: { text: `by ${MAIL}` } }], webSearchQueries: [MAIL] },
    citationMetadata: { citationSources: [{ uri: `https://a.test/${MAIL}` }] },
    urlContextMetadata: { urlMetadata: [{ retrievedUrl: `https://a.test/?by=${MAIL}` }] },
  };
  const said = (text: string) => ({ content: { role: "model", parts: [{ text }] }, ...sources });
  const chat = async (fields: object) => {
    const json = { model: "gemini", messages: [{ role: "user", content: "hello" }], ...fields };
    return (await app.call("/v1/chat/completions", { key, json })).text();
  };
  /** The same question in both interfaces, whole and as a stream. */
  const everyWay = (guardrails: readonly string[]): (() => Promise<string>)[] => [
    async () => (await post({ guardrails })).text(),
    async () => (await post({ guardrails }, "streamGenerateContent?alt=sse")).text(),
    async () => (await post({ guardrails }, "streamGenerateContent")).text(),
    () => chat({ guardrails }),
    () => chat({ guardrails, stream: true }),
  ];
  const TOLD = /grounding_?metadata|citation_?metadata|url_?context_?metadata/gi;

  test("is left out of an answer that a guardrail masks", async () => {
    told = said(`It was ${MAIL}.`);
    for (const ask of everyWay(["hide"])) {
      const text = await ask();
      expect(text).toContain("It was ");
      expect(text).not.toContain(MAIL);
      expect(text).not.toMatch(TOLD);
    }
  });

  test("comes with an answer that no guardrail masks", async () => {
    told = said("It was somebody.");
    for (const guardrails of [[], ["judge"]]) {
      for (const ask of everyWay(guardrails)) expect((await ask()).match(TOLD)).toHaveLength(3);
    }
  });

  test("does not come before what is refused", async () => {
    told = said("It was a falcon.");
    for (const ask of everyWay(["judge"])) {
      const text = await ask();
      expect(text).toContain("error");
      expect(text).not.toContain(MAIL);
    }
  });
});
