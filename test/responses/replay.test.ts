// Responses that are kept, streamed again.

import { beforeEach, describe, expect, test } from "bun:test";
import type OpenAI from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { all, clientOf, newCustomer, refusal } from "../assistants/clients.ts";
import { startBooked } from "../metering/booked-app.ts";
import { fakeOpenAi } from "../upstreams/openai.ts";
import type { Reply } from "../upstreams/script.ts";

let reply: Reply = {};
const upstream = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1", development: false },
  fetch: fakeOpenAi({ reply: () => reply }),
});
const { app, books } = await startBooked(
  {
    model_list: [
      {
        model_name: "pro",
        litellm_params: { model: "openai/responses/o3-pro", api_base: `${upstream.url.origin}/v1`, api_key: "k" },
        model_info: { input_cost_per_token: "0.00002", output_cost_per_token: "0.00008" },
      },
    ],
  },
  upstream,
);
const client = clientOf(app, app.first.demoKey ?? "");
beforeEach(() => {
  reply = { text: "A cat and a dog.", reasoning: "One cat, one dog." };
});

const tools = [
  { type: "function" as const, name: "look", strict: false, parameters: { type: "object" } },
  { type: "custom" as const, name: "patch" },
];
const ask = (fields: object = {}) =>
  client.responses.create({
    model: "pro",
    input: "Hi",
    tools,
    reasoning: { summary: "auto" },
    stream: false,
    ...fields,
  });
const again = async (id: string, query: object = {}): Promise<ResponseStreamEvent[]> =>
  all(await client.responses.retrieve(id, { stream: true, ...query } as { stream: true }));

const REPLIES: Readonly<Record<string, Reply>> = {
  "a thought and words": { text: "A cat and a dog.", reasoning: "One cat, one dog." },
  calls: {
    text: "I look.",
    toolCalls: [
      { name: "look", arguments: { at: "é" } },
      { name: "look", arguments: {} },
      { name: "patch", arguments: { input: "*** Begin" } },
    ],
  },
  "what was cut": { text: "A ca", finish: "length" },
  nothing: {},
};

describe("a kept response", () => {
  test.each(Object.entries(REPLIES))("is streamed as it was: %s", async (_, said) => {
    reply = said;
    const live: ResponseStreamEvent[] = await all(
      (await ask({ stream: true })) as unknown as AsyncIterable<ResponseStreamEvent>,
    );
    const id = (live[0] as { response: OpenAI.Responses.Response }).response.id;
    const kept = await client.responses.retrieve(id);
    const events = await again(id);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    expect(events.at(-1)).toMatchObject({ type: `response.${kept.status}`, response: { id, output: kept.output } });
    const kinds = (list: readonly ResponseStreamEvent[]) => [...new Set(list.map(({ type }) => type))].sort();
    expect(kinds(events)).toEqual(kinds(live));
    // Each event has the fields that it had.
    const fields = (list: readonly ResponseStreamEvent[]) =>
      Object.fromEntries(list.map((event) => [event.type, Object.keys(event).sort()]));
    expect(fields(events)).toEqual(fields(live));
    for (const kind of ["response.output_item.added", "response.output_item.done"]) {
      const items = (list: readonly ResponseStreamEvent[]) =>
        list.filter(({ type }) => type === kind).map((event) => ({ ...event, sequence_number: 0 }));
      expect(items(events)).toEqual(items(live));
    }
    // And the official client makes the same of it.
    const gathered = await client.responses.stream({ response_id: id }).finalResponse();
    expect(gathered.output_text).toBe(kept.output_text);
  });

  test("is streamed from behind a number", async () => {
    const { id, output } = await ask();
    const events = await again(id);
    for (const starting_after of [0, 4, events.length - 2]) {
      expect(await again(id, { starting_after })).toEqual(events.slice(starting_after + 1));
    }
    // Of the first stream that may have been a word in the middle.
    expect(await again(id, { starting_after: events.length - 1 })).toMatchObject([
      { type: "response.completed", sequence_number: events.length },
    ]);
    // Numbers of the first telling go further; the end has everything.
    expect(await again(id, { starting_after: 1_000 })).toMatchObject([
      { type: "response.completed", sequence_number: 1_001, response: { id, output } },
    ]);
  });

  test("is told whole without `stream`, and to nobody else, and costs nothing again", async () => {
    const { id } = await ask();
    const before = books.opened.length;
    for (const query of ["", "?stream=false", "?stream=false&starting_after=3"]) {
      const answer = await app.call(`/v1/responses/${id}${query}`, { key: app.first.demoKey ?? "" });
      expect(await answer.json()).toMatchObject({ id, object: "response", status: "completed" });
    }
    const stranger = await newCustomer(app);
    expect((await refusal(stranger.client.responses.retrieve(id, { stream: true }))).status).toBe(404);
    const wrong = await app.call(`/v1/responses/${id}?stream=true&starting_after=-1`, { key: app.first.demoKey ?? "" });
    expect(wrong.status).toBe(422);
    await again(id);
    expect(books.opened.length).toBe(before);
  });
});
