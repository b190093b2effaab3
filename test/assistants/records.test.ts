import { afterAll, describe, expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import { DATABASES } from "../storage/databases.ts";
import { all, newCustomer, refusal } from "./clients.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`assistants on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { client, key } = await newCustomer(app);
    const stranger = await newCustomer(app);
    const { assistants } = client.beta;

    test("keep what they were made with, and are changed field by field", async () => {
      const tools = [{ type: "function" as const, function: { name: "look_up", parameters: { type: "object" } } }];
      const made = await assistants.create({
        model: "echo",
        name: "Helper",
        instructions: "Be kind. 🚀",
        tools,
        temperature: 0.5,
        response_format: { type: "json_object" },
        reasoning_effort: "low",
        metadata: { owner: "me" },
      });
      expect(made).toMatchObject({ object: "assistant", model: "echo", temperature: 0.5, top_p: 1, tools });
      expect(made.id).toStartWith("asst_");
      expect(await assistants.retrieve(made.id)).toEqual(made);
      const changed = await assistants.update(made.id, { name: null, metadata: {}, top_p: 0.1 });
      expect(changed).toEqual({ ...made, name: null, metadata: {}, top_p: 0.1 });
      const again = await assistants.update(made.id, { tools: [], instructions: "Be short.", response_format: null });
      expect(again).toEqual({ ...changed, tools: [], instructions: "Be short.", response_format: "auto" });
      expect(await assistants.delete(made.id)).toEqual({ id: made.id, object: "assistant.deleted", deleted: true });
      expect((await refusal(assistants.retrieve(made.id))).status).toBe(404);
      expect((await refusal(assistants.delete(made.id))).status).toBe(404);
    });

    test("are listed from one id to the next, in both orders", async () => {
      const { client: own } = await newCustomer(app);
      const ids: string[] = [];
      for (let at = 0; at < 5; at++) ids.push((await own.beta.assistants.create({ model: "echo", name: `${at}` })).id);
      const list = async (query: object) => {
        const page = await own.beta.assistants.list(query);
        return { ids: page.data.map(({ id }) => ids.indexOf(id)), more: page.has_more };
      };
      expect(await list({ order: "asc" })).toEqual({ ids: [0, 1, 2, 3, 4], more: false });
      expect(await list({})).toEqual({ ids: [4, 3, 2, 1, 0], more: false });
      expect(await list({ limit: 2 })).toEqual({ ids: [4, 3], more: true });
      expect(await list({ limit: 2, after: ids[3] })).toEqual({ ids: [2, 1], more: true });
      expect(await list({ limit: 2, after: ids[1] })).toEqual({ ids: [0], more: false });
      expect(await list({ limit: 2, before: ids[0] })).toEqual({ ids: [2, 1], more: true });
      expect(await list({ limit: 5, before: ids[3], order: "asc" })).toEqual({ ids: [0, 1, 2], more: false });
      expect(await list({ after: ids[4], before: ids[1] })).toEqual({ ids: [3, 2], more: false });
      const paged = await all(own.beta.assistants.list({ limit: 2, order: "asc" }));
      expect(paged.map(({ id }) => id)).toEqual(ids);
      expect((await refusal(own.beta.assistants.list({ after: "asst_none" }))).status).toBe(404);
    });

    test("are refused with a reason", async () => {
      const create = (more: object) => refusal(assistants.create({ model: "echo", ...more }));
      expect((await create({ model: "nobody" })).status).toBe(404);
      expect(await create({ tools: [{ type: "code_interpreter" }] })).toMatchObject({
        status: 400,
        message: expect.stringContaining("code_interpreter"),
      });
      const twice = { type: "function", function: { name: "f" } };
      expect((await create({ tools: [twice, twice] })).status).toBe(400);
      for (const wrong of [
        { name: "x".repeat(257) },
        { temperature: 3 },
        { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`k${at}`, "v"])) },
        { metadata: { ["k".repeat(65)]: "v" } },
        { metadata: { key: "v".repeat(513) } },
        { metadata: { key: 1 } },
        { tools: [{ type: "spoon" }] },
      ]) {
        expect((await create(wrong)).status).toBe(422);
      }
      expect((await refusal(assistants.list({ limit: 101 }))).status).toBe(422);
    });

    test("both spellings of a path are the same", async () => {
      const made = await app.call("/assistants", { key, json: { model: "echo" } });
      const { id } = (await made.json()) as { id: string };
      expect((await app.call(`/v1/assistants/${id}`, { key })).status).toBe(200);
      const gone = await app.call(`/assistants/${id}`, { method: "DELETE", key });
      expect(gone.status).toBe(200);
    });

    test("belong to a team: another's are not there, in any place that names one", async () => {
      const { id } = await assistants.create({ model: "echo" });
      const theirs = stranger.client.beta.assistants;
      for (const call of [
        () => theirs.retrieve(id),
        () => theirs.update(id, { name: "Mine" }),
        () => theirs.delete(id),
        () => theirs.list({ after: id }),
        () => theirs.list({ before: id }),
      ]) {
        expect((await refusal(call())).status).toBe(404);
      }
      expect(await all(theirs.list())).toEqual([]);
      expect((await assistants.retrieve(id)).name).toBeNull();
    });
  });

  describe.skipIf(missing)(`threads on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { client, teamId, person } = await newCustomer(app);
    const stranger = await newCustomer(app);
    const { threads } = client.beta;

    test("begin with messages, in their order", async () => {
      const thread = await threads.create({
        messages: [
          { role: "user", content: "one", metadata: { at: "1" } },
          { role: "assistant", content: "two" },
          { role: "user", content: [{ type: "text", text: "three" }] },
        ],
        metadata: { topic: "numbers" },
      });
      expect(thread).toMatchObject({ object: "thread", metadata: { topic: "numbers" }, tool_resources: {} });
      const messages = await all(threads.messages.list(thread.id, { order: "asc", limit: 1 }));
      expect(messages.map(({ role, content }) => [role, content[0]?.type === "text" && content[0].text.value])).toEqual(
        [
          ["user", "one"],
          ["assistant", "two"],
          ["user", "three"],
        ],
      );
      expect(messages[0]).toMatchObject({ object: "thread.message", metadata: { at: "1" }, attachments: [] });
      const last = await threads.messages.list(thread.id, { limit: 1 });
      expect(last.data.map(({ id }) => id)).toEqual([messages[2]?.id ?? ""]);
      expect(await threads.update(thread.id, { metadata: { topic: "words" } })).toMatchObject({
        metadata: { topic: "words" },
      });
      expect(await threads.retrieve(thread.id)).toMatchObject({ metadata: { topic: "words" } });
    });

    test("take every kind of content", async () => {
      const thread = await threads.create();
      const content = [
        { type: "text" as const, text: "What is this?" },
        { type: "image_url" as const, image_url: { url: "https://example.com/a.png", detail: "low" as const } },
      ];
      const made = await threads.messages.create(thread.id, { role: "user", content });
      expect(made.content).toEqual([
        { type: "text", text: { value: "What is this?", annotations: [] } },
        { type: "image_url", image_url: { url: "https://example.com/a.png", detail: "low" } },
      ]);
      expect(await threads.messages.retrieve(made.id, { thread_id: thread.id })).toEqual(made);
      const changed = await threads.messages.update(made.id, { thread_id: thread.id, metadata: { seen: "yes" } });
      expect(changed).toEqual({ ...made, metadata: { seen: "yes" } });
      const unknown = { type: "image_file" as const, image_file: { file_id: "file-none" } };
      const say = (more: object) =>
        refusal(threads.messages.create(thread.id, { role: "user", content: "x", ...more } as never));
      expect((await say({ content: [unknown] })).status).toBe(404);
      expect((await say({ attachments: [{ file_id: "file-none", tools: [] }] })).status).toBe(422);
      expect((await say({ attachments: [{ file_id: "file-none" }] })).status).toBe(404);
      expect((await say({ attachments: [{ file_id: "f", tools: [{ type: "code_interpreter" }] }] })).status).toBe(400);
      expect((await say({ role: "system" })).status).toBe(422);
      expect((await say({ content: [] })).status).toBe(422);
      expect((await say({ content: "" })).status).toBe(422);
    });

    test("lose a message that is deleted, and everything when they are", async () => {
      const thread = await threads.create({ messages: [{ role: "user", content: "a" }] });
      const [message] = await all(threads.messages.list(thread.id));
      const of = { thread_id: thread.id };
      expect(await threads.messages.delete(message?.id ?? "", of)).toEqual({
        id: message?.id ?? "",
        object: "thread.message.deleted",
        deleted: true,
      });
      expect(await all(threads.messages.list(thread.id))).toEqual([]);
      const next = await threads.messages.create(thread.id, { role: "user", content: "b" });
      expect(await threads.delete(thread.id)).toMatchObject({ deleted: true, object: "thread.deleted" });
      expect((await refusal(threads.retrieve(thread.id))).status).toBe(404);
      expect((await refusal(threads.messages.list(thread.id).then())).status).toBe(404);
      expect(await app.storage.assistants.messages.find(thread.id, next.id)).toBeNull();
    });

    test("of another team are not there, whatever names them", async () => {
      const thread = await threads.create({ messages: [{ role: "user", content: "secret" }] });
      const own = await stranger.client.beta.threads.create();
      const [message] = await all(threads.messages.list(thread.id));
      const id = message?.id ?? "";
      const theirs = stranger.client.beta.threads;
      const of = { thread_id: thread.id };
      const ofOwn = { thread_id: own.id };
      for (const call of [
        () => theirs.retrieve(thread.id),
        () => theirs.update(thread.id, { metadata: {} }),
        () => theirs.delete(thread.id),
        () => theirs.messages.create(thread.id, { role: "user", content: "x" }),
        () => theirs.messages.list(thread.id),
        () => theirs.messages.list(own.id, { after: id }),
        () => theirs.messages.retrieve(id, of),
        () => theirs.messages.retrieve(id, ofOwn),
        () => theirs.messages.update(id, { ...of, metadata: {} }),
        () => theirs.messages.update(id, { ...ofOwn, metadata: {} }),
        () => theirs.messages.delete(id, of),
        () => theirs.messages.delete(id, ofOwn),
      ]) {
        expect((await refusal(call())).status).toBe(404);
      }
      expect(await all(threads.messages.list(thread.id))).toEqual(message ? [message] : []);
    });

    test("are listed for their team alone", async () => {
      const other = await newCustomer(app);
      const made = await other.client.beta.threads.create({ metadata: { mine: "yes" } });
      const list = async (key: string) =>
        ((await (await app.call("/v1/threads", { key })).json()) as { data: { id: string }[] }).data;
      expect(await list(other.key)).toMatchObject([{ id: made.id, metadata: { mine: "yes" } }]);
      expect((await list(stranger.key)).map(({ id }) => id)).not.toContain(made.id);
    });

    test("go with their team", async () => {
      const assistant = await client.beta.assistants.create({ model: "echo" });
      const thread = await threads.create({ messages: [{ role: "user", content: "x" }] });
      const { status } = await person.send("DELETE", `/api/gw/teams/${teamId}`);
      expect(status).toBeLessThan(300);
      const { assistants, threads: kept } = app.storage.assistants;
      expect(await assistants.find({ teamId }, assistant.id)).toBeNull();
      expect(await kept.find({ teamId }, thread.id)).toBeNull();
    });
  });
}
