// What is said in several responses, through OpenAI's client.

import { afterAll, describe, expect, test } from "bun:test";
import type { Response as Answer, ResponseStreamEvent } from "openai/resources/responses/responses";
import { startAppOn } from "../accounts/people.ts";
import { all, newCustomer, refusal } from "../assistants/clients.ts";
import { DATABASES } from "../storage/databases.ts";
import { Moody, status, WELL } from "../upstreams/moody.ts";

const MEBIBYTE = 1024 * 1024;
const upstream = new Moody("the model");
afterAll(() => upstream.stop());
const CONFIG = JSON.stringify({
  model_list: [
    {
      model_name: "m",
      litellm_params: { model: "openai/m", api_base: upstream.address, api_key: "k", num_retries: 0 },
      model_info: { input_cost_per_token: "0.000001", output_cost_per_token: "0.000001" },
    },
  ],
});

interface Told {
  readonly role: string;
  readonly content: unknown;
}

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`conversations on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind, CONFIG);
    afterAll(() => app.close());
    const { client, key, person, teamId } = await newCustomer(app);
    const stranger = await newCustomer(app);
    const say = (conversation: string | { id: string }, input: string, fields: object = {}): Promise<Answer> =>
      client.responses.create({ model: "m", input, conversation, stream: false, ...fields });
    /** What the model was asked with, as texts. */
    const told = () =>
      (upstream.seen.messages as Told[]).map(({ role, content }) => `${role}: ${textOf(content as string)}`);
    /** What is in it, the first one first. */
    const said = async (id: string): Promise<string[]> => {
      const items = await all(client.conversations.items.list(id, { order: "asc", limit: 2 }));
      return items.map((item) => {
        if (item.type !== "message") return item.type;
        return `${item.role}: ${item.content.map((part) => ("text" in part ? part.text : part.type)).join("")}`;
      });
    };

    test("are made with what was said already, changed and deleted", async () => {
      const made = await client.conversations.create({
        items: [
          { type: "message", role: "user", content: "Hello!" },
          { type: "message", role: "assistant", content: "Good morning." },
        ],
        metadata: { topic: "demo" },
      });
      expect(made).toMatchObject({ object: "conversation", metadata: { topic: "demo" } });
      expect(made.id).toMatch(/^conv_[0-9a-f]{32}$/);
      expect(Math.abs(made.created_at - Date.now() / 1000)).toBeLessThan(600);
      expect(await said(made.id)).toEqual(["user: Hello!", "assistant: Good morning."]);
      expect(await client.conversations.retrieve(made.id)).toEqual(made);
      const changed = await client.conversations.update(made.id, { metadata: { topic: "other" } });
      expect(changed).toEqual({ ...made, metadata: { topic: "other" } });
      expect(await client.conversations.retrieve(made.id)).toEqual(changed);
      expect(await client.conversations.delete(made.id)).toEqual({
        id: made.id,
        object: "conversation.deleted",
        deleted: true,
      });
      for (const call of [
        () => client.conversations.retrieve(made.id),
        () => client.conversations.delete(made.id),
        () => say(made.id, "still there?"),
      ]) {
        expect((await refusal(call())).status).toBe(404);
      }
    });

    test("go on with every response, and have what it was asked and answered", async () => {
      const { id } = await client.conversations.create();
      const first = await say(id, "one");
      expect(first.conversation).toEqual({ id });
      expect(told()).toEqual(["user: one"]);
      await say({ id }, "two", { instructions: "Be kind." });
      const answers = `assistant: ${first.output_text}`;
      expect(told()).toEqual(["system: Be kind.", "user: one", answers, "user: two"]);
      // Instructions are of the call alone.
      await say(id, "three", { store: false });
      expect(told()).toEqual(["user: one", answers, "user: two", answers, "user: three"]);
      expect(await said(id)).toEqual(["user: one", answers, "user: two", answers, "user: three", answers]);
      const items = await all(client.conversations.items.list(id, { order: "asc" }));
      const input = await all(client.responses.inputItems.list(first.id, { order: "asc" }));
      expect(items.map((item) => item.id).slice(0, 2)).toEqual([input[0]?.id, first.output[0]?.id]);
      expect(new Set(items.map((item) => item.id)).size).toBe(6);
    });

    test("are what a response that goes on from one of theirs goes on from, as far as they had come", async () => {
      const { id } = await client.conversations.create({ items: [{ role: "user", content: "before" }] });
      await say(id, "one");
      const second = await say(id, "two");
      await say(id, "three");
      const goOn = (previous: Answer, input: string): Promise<Answer> =>
        client.responses.create({ model: "m", input, previous_response_id: previous.id, stream: false });
      const answers = `assistant: ${second.output_text}`;
      const untilSecond = ["user: before", "user: one", answers, "user: two", answers];
      const aside = await goOn(second, "aside");
      expect(told()).toEqual([...untilSecond, "user: aside"]);
      await goOn(aside, "further");
      expect(told()).toEqual([...untilSecond, "user: aside", answers, "user: further"]);
      expect(await said(id)).toHaveLength(7);
      // What was said in it goes with it; what is kept of a response stays.
      await client.conversations.delete(id);
      await goOn(second, "alone");
      expect(told()).toEqual(["user: two", answers, "user: alone"]);
    });

    test("have what was streamed, once it was whole", async () => {
      const { id } = await client.conversations.create();
      const events = await all(
        (await client.responses.create({
          model: "m",
          input: "go",
          conversation: id,
          stream: true,
        })) as AsyncIterable<ResponseStreamEvent>,
      );
      const last = events.at(-1) as { type: string; response: Answer };
      expect(last).toMatchObject({ type: "response.completed", response: { conversation: { id } } });
      expect(await said(id)).toEqual(["user: go", expect.stringMatching(/^assistant: ./)]);
    });

    test("have nothing of a call that failed", async () => {
      const { id } = await client.conversations.create();
      upstream.mood = status(400);
      expect((await refusal(say(id, "no"))).status).toBe(400);
      upstream.mood = WELL;
      expect(await said(id)).toEqual([]);
    });

    test("have what is carried out in the background at its end", async () => {
      const { id } = await client.conversations.create({ items: [{ role: "user", content: "before" }] });
      const begun = await say(id, "behind", { background: true });
      expect(begun).toMatchObject({ status: "queued", conversation: { id } });
      await app.service.responses.idle();
      expect(await client.responses.retrieve(begun.id)).toMatchObject({ status: "completed", conversation: { id } });
      expect(told()).toEqual(["user: before", "user: behind"]);
      expect((await said(id)).slice(0, 2)).toEqual(["user: before", "user: behind"]);
      expect(await said(id)).toHaveLength(3);
    });

    test("keep each of several responses in one piece", async () => {
      const { id } = await client.conversations.create();
      await Promise.all(Array.from({ length: 8 }, (_, at) => say(id, `at once ${at}`)));
      const lines = await said(id);
      expect(lines).toHaveLength(16);
      for (let at = 0; at < 16; at += 2) {
        expect(lines.slice(at, at + 2)).toEqual([
          expect.stringMatching(/^user: at once \d$/),
          expect.stringMatching(/^assistant: /),
        ]);
      }
    });

    test("take calls of functions and what they gave, and count their tokens", async () => {
      const { id } = await client.conversations.create({ items: [{ role: "user", content: "The weather?" }] });
      const added = await client.conversations.items.create(id, {
        items: [
          { type: "function_call", call_id: "c1", name: "weather", arguments: "{}" },
          { type: "function_call_output", call_id: "c1", output: "sunny", id: "fco_of_mine" },
        ],
      });
      expect(added).toMatchObject({ object: "list", has_more: false, first_id: added.data[0]?.id });
      expect(added.data.map(({ type, id: itemId }) => [type, itemId])).toEqual([
        ["function_call", expect.stringMatching(/^fc_[0-9a-f]{32}$/)],
        ["function_call_output", expect.stringMatching(/^fco_[0-9a-f]{32}$/)],
      ]);
      await say(id, "So?");
      expect((upstream.seen.messages as Told[]).map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
      const count = async (fields: object) => {
        const answer = await app.call("/v1/responses/input_tokens", {
          key,
          json: { model: "m", input: "So?", ...fields },
        });
        return ((await answer.json()) as { input_tokens: number }).input_tokens;
      };
      expect(await count({ conversation: id })).toBeGreaterThan(await count({}));
    });

    test("give and lose single items", async () => {
      const { id } = await client.conversations.create({
        items: ["a", "b", "c"].map((content) => ({ role: "user" as const, content })),
      });
      const [, second] = await all(client.conversations.items.list(id, { order: "asc" }));
      const itemId = second?.id ?? "";
      const one = { conversation_id: id };
      expect(await client.conversations.items.retrieve(itemId, one)).toEqual(second as never);
      expect(second).toMatchObject({
        type: "message",
        role: "user",
        status: "completed",
        content: [{ type: "input_text", text: "b" }],
      });
      expect(await client.conversations.items.delete(itemId, one)).toMatchObject({ id, object: "conversation" });
      expect((await refusal(client.conversations.items.retrieve(itemId, one))).status).toBe(404);
      expect((await refusal(client.conversations.items.delete(itemId, one))).status).toBe(404);
      expect(await said(id)).toEqual(["user: a", "user: c"]);
      await say(id, "d");
      expect(told()).toEqual(["user: a", "user: c", "user: d"]);
    });

    test("refuse what no model could be told, and more than is taken at a time", async () => {
      const { id } = await client.conversations.create();
      const call = async (path: string, json: object) => {
        const answer = await app.call(path, { key, json });
        return { status: answer.status, body: await answer.json() };
      };
      const odd = [{ type: "computer_call_output", call_id: "x", output: {} }];
      for (const path of ["/v1/conversations", `/v1/conversations/${id}/items`]) {
        expect(await call(path, { items: odd })).toMatchObject({ status: 400, body: { error: { param: "items" } } });
        const many = Array.from({ length: 21 }, () => ({ role: "user", content: "x" }));
        expect((await call(path, { items: many })).status).toBe(422);
      }
      expect((await call(`/v1/conversations/${id}/items`, { items: [] })).status).toBe(422);
      expect((await call(`/v1/conversations/${id}`, { metadata: { a: 1 } })).status).toBe(422);
      expect(await said(id)).toEqual([]);
      const first = await say(id, "one");
      expect(await refusal(say(id, "two", { previous_response_id: first.id }))).toMatchObject({
        status: 400,
        param: "conversation",
      });
      for (const wrong of ["conv_\0", "conv_\ud800", "thread_1", `conv_${"0".repeat(32)}`]) {
        expect((await refusal(say(wrong, "x"))).status).toBe(404);
      }
    });

    test("are answered past what they can hold, which is said", async () => {
      const long = { role: "user" as const, content: "x".repeat(16 * MEBIBYTE - 500) };
      const { id } = await client.conversations.create({ items: [long] });
      await client.conversations.items.create(id, { items: [long] });
      const refused = await refusal(client.conversations.items.create(id, { items: [long] }));
      expect(refused).toMatchObject({ status: 400, message: expect.stringContaining("begin another one") });
      expect(await say(id, "x".repeat(1_000))).toMatchObject({ status: "completed", conversation: null });
      expect(await all(client.conversations.items.list(id))).toHaveLength(2);
    });

    test("are the team's: another's are not there", async () => {
      const { id } = await client.conversations.create({ items: [{ role: "user", content: "ours" }] });
      const [item] = await all(client.conversations.items.list(id));
      const one = { conversation_id: id };
      const other = stranger.client;
      for (const call of [
        () => other.conversations.retrieve(id),
        () => other.conversations.update(id, { metadata: {} }),
        () => other.conversations.delete(id),
        () => other.conversations.items.list(id),
        () => other.conversations.items.create(id, { items: [{ role: "user", content: "mine" }] }),
        () => other.conversations.items.retrieve(item?.id ?? "", one),
        () => other.conversations.items.delete(item?.id ?? "", one),
        () => other.responses.create({ model: "m", input: "x", conversation: id }),
      ]) {
        expect((await refusal(call())).status).toBe(404);
      }
      expect(await said(id)).toEqual(["user: ours"]);
      await person.send("DELETE", `/api/gw/teams/${teamId}`);
      expect(await app.storage.conversations.find({ teamId }, id)).toBeNull();
      expect(await app.storage.conversations.said(id)).toEqual([]);
    });
  });
}

const textOf = (content: string | { text: string }[]): string =>
  typeof content === "string" ? content : content.map(({ text }) => text).join("");
