// Servers that speak OpenAI's Responses, but do not say of each event which item it is of.

import { describe, expect, test } from "bun:test";
import type { ChatChunk } from "../../src/contract/chat.ts";
import { clientOf } from "../assistants/clients.ts";
import { startBooked } from "../metering/booked-app.ts";
import { joinChunks } from "../upstreams/join-chunks.ts";
import { lookAtResponse, responseEvents } from "../upstreams/openai-responses.ts";
import type { Reply } from "../upstreams/script.ts";

type Event = Readonly<Record<string, unknown>>;
type Loosen = (event: Event, at: number) => Event;

const without = (...names: readonly string[]): Loosen => {
  const left = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(left);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, inner]) => (names.includes(name) ? [] : [[name, left(inner)]])),
    );
  };
  return (event) => left(event) as Event;
};
const isPiece = ({ type }: Event) => String(type).endsWith(".delta");
const item = (event: Event) => (event.item ?? {}) as Event;

/** What each of them leaves out, or says in its own way. */
const SERVERS: Readonly<Record<string, Loosen>> = {
  "without places": without("output_index"),
  "without places and ids": without("output_index", "item_id", "id"),
  "without places of pieces": (event) => (isPiece(event) ? without("output_index")(event, 0) : event),
  "without places of items": (event) => (isPiece(event) ? event : without("output_index")(event, 0)),
  "with a new id for each event": (event, at) => ({
    ...event,
    ...("item_id" in event && { item_id: `x_${at}` }),
    ...("item" in event && { item: { ...item(event), id: `x_${at}` } }),
  }),
  "with a new id for each event, without places": (event, at) => ({
    ...without("output_index")(event, at),
    ...("item_id" in event && { item_id: `x_${at}` }),
    ...("item" in event && { item: { ...item(event), id: `x_${at}` } }),
  }),
  "with one place for all": (event) => ("output_index" in event ? { ...event, output_index: 0 } : event),
};

const REPLIES: Readonly<Record<string, Reply>> = {
  words: { text: "A cat and a dog." },
  "a thought and words": { text: "A cat and a dog.", reasoning: "One cat, one dog." },
  calls: {
    reasoning: "I look.",
    text: "Let me look.",
    toolCalls: [
      { name: "look", arguments: { at: "one place" } },
      { name: "look", arguments: { at: "another place" } },
    ],
  },
};

let told: readonly Event[] = [];
const upstream = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1", development: false },
  fetch: () =>
    new Response(told.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), {
      headers: { "content-type": "text/event-stream" },
    }),
});
const { app } = await startBooked(
  {
    model_list: [
      {
        model_name: "loose",
        litellm_params: { model: "openai/responses/o3-pro", api_base: `${upstream.url.origin}/v1`, api_key: "k" },
        model_info: { input_cost_per_token: "0.00002", output_cost_per_token: "0.00008" },
      },
    ],
  },
  upstream,
);
const client = clientOf(app, app.first.demoKey ?? "");
const asked = { model: "loose", messages: [{ role: "user" as const, content: "Hi" }] };

async function said(): Promise<unknown> {
  const chunks: ChatChunk[] = [];
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) {
    chunks.push(chunk as unknown as ChatChunk);
  }
  const { content, reasoning_content: thought, tool_calls: calls } = joinChunks(chunks).choices[0]?.message ?? {};
  return { content, thought, called: (calls ?? []).map(({ function: { name, arguments: given } }) => [name, given]) };
}

describe.each(Object.keys(SERVERS))("a server %s", (server) => {
  test.each(Object.entries(REPLIES))("tells each text once: %s", async (_, reply) => {
    const seen = lookAtResponse({ model: "o3-pro", reasoning: { summary: "auto" }, stream: true });
    const events = responseEvents(seen, reply);
    const strict = [...events.before, ...events.told] as Event[];
    for (const isAnnounced of [true, false]) {
      const hasCalls = reply.toolCalls !== undefined;
      const all = strict.filter(({ type }) => isAnnounced || hasCalls || type !== "response.output_item.added");
      told = all.map(SERVERS[server] as Loosen);
      expect(await said()).toEqual({
        content: reply.text,
        thought: reply.reasoning,
        called: (reply.toolCalls ?? []).map(({ name, arguments: given }) => [name, JSON.stringify(given)]),
      });
    }
  });
});
