import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { MemoryBooks } from "../metering/memory-books.ts";
import { fakeAnthropic } from "../upstreams/anthropic.ts";
import { fakeOpenAi } from "../upstreams/openai.ts";
import type { Script } from "../upstreams/script.ts";

/** Two upstreams that say what they are told, one in our own form and one in another; and a judge of somebody else's. */
export const FORMS = ["own", "translated"] as const;

const PLUGIN = `export default {
  inspect: ({ texts, options }) =>
    texts.flatMap((text, index) => (text.includes(options.word) ? [{ category: "own word", index }] : [])),
};`;

export async function startGuarded(entries: readonly object[]) {
  /** The bodies that upstreams have seen. */
  const seen: string[] = [];
  const script: Script = {
    reply({ userText, body, tools }) {
      seen.push(JSON.stringify(body));
      const [, said = userText] = /say: ([\s\S]*)/.exec(userText) ?? [];
      const usage = { input: 10, output: 5 };
      return tools.length > 0
        ? { toolCalls: [{ name: "send", arguments: { to: /^\d+$/.test(said) ? Number(said) : said } }], usage }
        : { text: said, usage };
    },
  };
  const judged: unknown[] = [];
  const judge = {
    answer: (_body: { texts: string[] }): Response | Promise<Response> => Response.json({ findings: [] }),
  };
  const [own, translated, hook] = [
    fakeOpenAi(script),
    fakeAnthropic(script),
    async (request: Request) => {
      const body = (await request.json()) as { texts: string[] };
      judged.push(body);
      return judge.answer(body);
    },
  ].map((fetch) => Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch }));
  const folder = mkdtempSync(join(tmpdir(), "turnpike-guard-"));
  writeFileSync(join(folder, "own.ts"), PLUGIN);
  const price = { input_cost_per_token: "0.000001", output_cost_per_token: "0.000002" };
  const model = (name: string, params: object) => ({ model_name: name, litellm_params: params, model_info: price });
  const hookUrl = `http://127.0.0.1:${hook?.port}/judge`;
  const yaml = JSON.stringify({
    model_list: [
      model("own", {
        model: "openai/gpt-4o",
        api_base: `http://127.0.0.1:${own?.port}/v1`,
        api_key: "upstream-secret-0123456789",
      }),
      model("translated", {
        model: "anthropic/claude-sonnet-4-5",
        api_base: `http://127.0.0.1:${translated?.port}`,
        api_key: "upstream-secret-0123456789",
      }),
      model("ranked", { model: "cohere/rerank-v3.5", api_base: "http://127.0.0.1:1", api_key: "none" }),
    ],
    guardrails: entries,
  })
    .replaceAll("$HOOK", hookUrl)
    .replaceAll("$PLUGIN", join(folder, "own.ts"));
  const books = new MemoryBooks();
  const app = await startApp(yaml, null, systemClock, { ledger: books });
  return {
    app,
    books,
    seen,
    judged,
    judge,
    key: app.first.demoKey ?? "",
    async close() {
      await app.close();
      await Promise.all([own?.stop(true), translated?.stop(true), hook?.stop(true)]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type GuardedApp = Awaited<ReturnType<typeof startGuarded>>;

/** What a chat says in the end, streamed or not. */
export interface Said {
  readonly status: number;
  readonly text: string;
  readonly arguments: string;
  readonly error: { name: string; message: string; code: string } | null;
  readonly done: boolean;
  readonly applied: string | null;
  readonly raw: string;
}

export async function chat(
  { app, key }: GuardedApp,
  model: string,
  content: unknown,
  fields: object = {},
  as: string = key,
): Promise<Said> {
  const json = { model, messages: [{ role: "user", content }], ...fields };
  const response = await app.call("/v1/chat/completions", { key: as, json });
  return readSaid(response);
}

export async function readSaid(response: Response): Promise<Said> {
  const raw = await response.text();
  const common = { status: response.status, applied: response.headers.get("x-gw-applied-guardrails"), raw };
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
    const body = JSON.parse(raw);
    const message = body.choices?.[0]?.message ?? body.choices?.[0] ?? {};
    return {
      ...common,
      text: message.content ?? message.text ?? "",
      arguments: message.tool_calls?.[0]?.function.arguments ?? "",
      error: body.error ?? null,
      done: true,
    };
  }
  const said = { text: "", arguments: "", error: null as Said["error"] };
  for (const frame of raw.split("\n\n")) {
    const data = frame.replace(/^data: /, "");
    if (data === "" || data === "[DONE]") continue;
    const chunk = JSON.parse(data);
    if (chunk.error) said.error = chunk.error;
    for (const choice of chunk.choices ?? []) {
      said.text += choice.delta?.content ?? choice.text ?? "";
      for (const call of choice.delta?.tool_calls ?? []) said.arguments += call.function?.arguments ?? "";
    }
  }
  return { ...common, ...said, done: raw.includes("[DONE]") };
}

export async function makeKey(
  { app }: GuardedApp,
  body: object,
): Promise<{ status: number; key: string; message: string }> {
  const response = await app.call("/key/generate", { key: MASTER_KEY, json: body });
  const answer = (await response.json()) as { key: string; error?: { message: string } };
  return { status: response.status, key: answer.key, message: answer.error?.message ?? "" };
}
