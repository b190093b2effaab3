import { afterAll, describe, expect, test } from "bun:test";
import { eventsOf } from "../../src/lib/sse.ts";
import { startApp } from "../app.ts";
import { script } from "../e2e/dialect-suite.ts";
import { fakeAnthropic } from "../upstreams/anthropic.ts";
import { fakeOpenAi } from "../upstreams/openai.ts";
import { SAID, SealingGoogle } from "../upstreams/sealing-google.ts";
import { type Fields, type Generated, partsIn, TOOLS } from "./google-app.ts";

const sealing = new SealingGoogle();
const servers = [sealing.answer, fakeAnthropic(script), fakeOpenAi(script)].map((fetch) =>
  Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch }),
);
const [gemini, claude, gpt] = servers.map(({ port }) => `http://127.0.0.1:${port}`);
const entry = (model_name: string, model: string, api_base: string) => ({
  model_name,
  litellm_params: { model, api_base, api_key: "upstream-secret-0123456789" },
  model_info: { input_cost_per_token: "0.000001", output_cost_per_token: "0.000002" },
});
const app = await startApp(
  JSON.stringify({
    model_list: [
      entry("gemini", "gemini/gemini-3-pro-preview", `${gemini}/v1beta`),
      entry("claude", "anthropic/claude-sonnet-4-5", `${claude}`),
      entry("gpt", "openai/gpt-4o", `${gpt}/v1`),
    ],
  }),
);
afterAll(async () => {
  await app.close();
  await Promise.all(servers.map((server) => server.stop(true)));
});

const USER = { role: "user", parts: [{ text: "What is it like there?" }] };
const THINKING = { thinkingConfig: { thinkingBudget: 1024, includeThoughts: true }, maxOutputTokens: 9000 };

/** The parts that the model has said, as a client keeps them. */
async function partsOf(model: string, contents: readonly object[], isStream: boolean): Promise<Fields[]> {
  const action = isStream ? "streamGenerateContent?alt=sse" : "generateContent";
  const response = await app.call(`/v1beta/models/${model}:${action}`, {
    headers: { "x-goog-api-key": app.first.demoKey ?? "" },
    json: { contents, tools: TOOLS, generationConfig: THINKING },
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  const pieces = isStream ? eventsOf(text).map(({ data }) => JSON.parse(data)) : [JSON.parse(text)];
  return partsIn(pieces as Generated[]);
}

const results = (parts: readonly Fields[]) => {
  const calls = parts.flatMap(({ functionCall }) => (functionCall ? [functionCall as Fields] : []));
  const said = calls.map(({ id, name }) => ({ functionResponse: { id, name, response: { output: "fine" } } }));
  return { role: "user", parts: calls.length > 0 ? said : [{ text: "And then?" }] };
};

describe.each([false, true])("what Google has sealed (streamed: %p)", (isStream) => {
  test.each(Object.keys(SAID))("comes back to it where it was: %s", async (name) => {
    const [said, back] = SAID[name] ?? [[], []];
    sealing.parts = said;
    const parts = await partsOf("gemini", [USER], isStream);
    expect(parts.filter(({ thought }) => thought === true)).toEqual(
      said.filter(({ thought }) => thought === true) as Fields[],
    );
    await partsOf("gemini", [USER, { role: "model", parts }, results(parts)], isStream);
    expect(sealing.contents[1]).toEqual({ role: "model", parts: back });
    expect(sealing.contents[2]?.parts).toEqual(results(parts).parts);
    // Whoever else is asked meanwhile has no use for it.
    for (const other of ["claude", "gpt"]) {
      await partsOf(other, [USER, { role: "model", parts }, results(parts)], isStream);
      expect(JSON.stringify(script.seen.at(-1)?.body)).not.toContain("c2VhbC");
    }
  });

  test("pictures and parts of its own come back as they were", async () => {
    const image = { inlineData: { mimeType: "image/png", data: "AAAA" }, thoughtSignature: "c2VhbA==" };
    const code = { executableCode: { language: "PYTHON", code: "print(1)" }, thoughtSignature: "Y29kZQ==" };
    const output = { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } };
    sealing.parts = [code, output, { text: "It is one." }, image];
    const parts = (await partsOf("gemini", [USER], isStream)).filter((part) => part.text !== "");
    expect(parts).toEqual(sealing.parts as Fields[]);
    await partsOf("gemini", [USER, { role: "model", parts }, results(parts)], isStream);
    expect(sealing.contents[1]).toEqual({ role: "model", parts: sealing.parts });
  });
});

describe.each([false, true])("what Anthropic has signed (streamed: %p)", (isStream) => {
  test("comes back to it with the calls that it led to, in base64 of either kind", async () => {
    const asked = { role: "user", parts: [{ text: "think" }] };
    const parts = await partsOf("claude", [asked], isStream);
    const seals = parts.flatMap(({ thoughtSignature }) => (thoughtSignature ? [String(thoughtSignature)] : []));
    expect(seals).toEqual([expect.stringMatching(/^[A-Za-z0-9+/]+=*$/)]);
    for (const rewrite of [(seal: string) => seal, (seal: string) => seal.replaceAll("+", "-").replaceAll("/", "_")]) {
      const kept = parts.map((part) =>
        part.thoughtSignature ? { ...part, thoughtSignature: rewrite(String(part.thoughtSignature)) } : part,
      );
      await partsOf("claude", [asked, { role: "model", parts: kept }, results(kept)], isStream);
      const turns = (script.seen.at(-1)?.body.messages ?? []) as { content: Fields[] }[];
      expect(turns[1]?.content).toEqual([
        { type: "thinking", thinking: "Let me think.", signature: "c2lnbmVk" },
        expect.objectContaining({ type: "text", text: "Done thinking." }),
      ]);
    }
    // Google would refuse what it has not sealed itself.
    sealing.parts = [{ text: "Hm." }];
    await partsOf("gemini", [asked, { role: "model", parts }, results(parts)], isStream);
    expect(sealing.contents[1]).toEqual({ role: "model", parts: [{ text: "Done thinking." }] });
  });
});
