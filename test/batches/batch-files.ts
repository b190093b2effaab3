import type OpenAI from "openai";
import type { TestApp } from "../app.ts";

export type Endpoint =
  | "/v1/chat/completions"
  | "/v1/embeddings"
  | "/v1/completions"
  | "/v1/responses"
  | "/v1/moderations";

/** A line of a batch's file. */
export const request = (custom_id: string, body: object, url: Endpoint = "/v1/chat/completions"): string =>
  JSON.stringify({ custom_id, method: "POST", url, body });

export const chat = (content: string, model = "echo") => ({ model, messages: [{ role: "user", content }] });

export const upload = async (client: OpenAI, lines: readonly string[]): Promise<string> =>
  (await client.files.create({ file: new File([lines.join("\n")], "calls.jsonl"), purpose: "batch" })).id;

export async function create(client: OpenAI, lines: readonly string[], endpoint: Endpoint = "/v1/chat/completions") {
  const input_file_id = await upload(client, lines);
  return client.batches.create({ input_file_id, endpoint, completion_window: "24h" });
}

/** As the timer does it, until the batch has come to its end. */
export async function whenOver(app: TestApp, client: OpenAI, id: string) {
  for (;;) {
    await app.service.batches.tick();
    await app.service.batches.idle();
    const batch = await client.batches.retrieve(id);
    if (["completed", "failed", "expired", "cancelled"].includes(batch.status)) return batch;
  }
}

export interface ResultLine {
  readonly id: string;
  readonly custom_id: string;
  readonly response: { status_code: number; request_id: string; body: Record<string, unknown> } | null;
  readonly error: { code: string; message: string } | null;
}

/** What a file of results tells, by the ids of its calls; each is there once. */
export async function resultsIn(client: OpenAI, fileId: string | null | undefined): Promise<Map<string, ResultLine>> {
  if (!fileId) return new Map();
  const text = await (await client.files.content(fileId)).text();
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ResultLine);
  const results = new Map(lines.map((line) => [line.custom_id, line]));
  if (results.size !== lines.length) throw new Error(`a call is answered twice: ${text}`);
  return results;
}
