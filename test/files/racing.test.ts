import { afterAll, describe, expect, test } from "bun:test";
import { toFile } from "openai";
import { startAppOn } from "../accounts/people.ts";
import { newCustomer } from "../assistants/clients.ts";
import { DATABASES } from "../storage/databases.ts";

const poll = { pollIntervalMs: 5 };
const statusOf = (call: PromiseLike<unknown>): PromiseLike<number> =>
  call.then(
    () => 200,
    (error: { status: number }) => error.status,
  );

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`files on ${kind}, by several at once`, async () => {
    if (missing) return;
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { client, person, keyId } = await newCustomer(app);
    const { files, vectorStores, beta } = client;
    const upload = async (text: string) =>
      files.create({ file: await toFile(Buffer.from(text), "heron.txt"), purpose: "assistants" });

    test("are in a store once, however often they are put in", async () => {
      const [file, store] = [await upload("The heron stands still."), await vectorStores.create({})];
      const puts = Array.from({ length: 8 }, () => statusOf(vectorStores.files.create(store.id, { file_id: file.id })));
      expect(await Promise.all(puts)).toEqual(Array(8).fill(200));
      expect(await vectorStores.files.poll(store.id, file.id, poll)).toMatchObject({ status: "completed" });
      expect((await vectorStores.retrieve(store.id)).file_counts).toMatchObject({ total: 1, completed: 1 });
      expect((await vectorStores.search(store.id, { query: "heron" })).data).toHaveLength(1);
    });

    test("are there or not when they or their store are deleted meanwhile, and nothing else", async () => {
      for (let round = 0; round < 8; round++) {
        const [file, store] = [await upload("The heron stands still."), await vectorStores.create({})];
        const attached = [{ file_id: file.id, tools: [{ type: "file_search" as const }] }];
        const statuses = await Promise.all([
          statusOf(vectorStores.files.create(store.id, { file_id: file.id })),
          statusOf(vectorStores.fileBatches.create(store.id, { file_ids: [file.id] })),
          statusOf(round % 2 === 0 ? files.delete(file.id) : vectorStores.delete(store.id)),
          statusOf(vectorStores.search(store.id, { query: "heron" })),
          statusOf(beta.threads.create({ messages: [{ role: "user", content: "x", attachments: attached }] })),
        ]);
        expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([]);
      }
    });

    test("that messages bring to one thread at the same time are all found in it, and read once", async () => {
      const thread = await beta.threads.create({});
      const made = await Promise.all(["heron", "stork", "crane", "ibis"].map((bird) => upload(`The ${bird} flies.`)));
      const bring = ({ id }: { id: string }) =>
        beta.threads.messages.create(thread.id, {
          role: "user",
          content: "x",
          attachments: [{ file_id: id, tools: [{ type: "file_search" }] }],
        });
      await Promise.all(made.map(bring));
      const stores = (await beta.threads.retrieve(thread.id)).tool_resources?.file_search?.vector_store_ids ?? [];
      expect(stores).toHaveLength(1);
      const [store = ""] = stores;
      for (const { id } of made) {
        expect(await vectorStores.files.poll(store, id, poll)).toMatchObject({ status: "completed" });
      }
      const [again] = made;
      if (!again) throw new Error("no file");
      await vectorStores.files.update(again.id, { vector_store_id: store, attributes: { seen: true } });
      await bring(again);
      expect(await vectorStores.files.retrieve(again.id, { vector_store_id: store })).toMatchObject({
        status: "completed",
        attributes: { seen: true },
      });
    });

    test("and stores, threads and assistants keep what each of several changes says", async () => {
      for (let round = 0; round < 5; round++) {
        const { id: store } = await vectorStores.create({});
        const { id: thread } = await beta.threads.create({});
        const { id: assistant } = await beta.assistants.create({ model: "echo" });
        const metadata = { round: `${round}` };
        const tool_resources = { file_search: { vector_store_ids: [store] } };
        await Promise.all([
          vectorStores.update(store, { name: "Birds" }),
          vectorStores.update(store, { metadata }),
          beta.threads.update(thread, { metadata }),
          beta.threads.update(thread, { tool_resources }),
          beta.assistants.update(assistant, { name: "Helper" }),
          beta.assistants.update(assistant, { instructions: "Be kind." }),
          beta.assistants.update(assistant, { metadata }),
        ]);
        expect(await vectorStores.retrieve(store)).toMatchObject({ name: "Birds", metadata });
        expect(await beta.threads.retrieve(thread)).toMatchObject({ metadata, tool_resources });
        expect(await beta.assistants.retrieve(assistant)).toMatchObject({
          name: "Helper",
          instructions: "Be kind.",
          metadata,
        });
      }
    });

    test("that are attached by a key for some addresses only are read in its name", async () => {
      await person.send("PATCH", `/api/gw/api-keys/${keyId}`, { allowedIps: ["127.0.0.1"] });
      const file = await upload("The heron stands still.");
      const attachments = [{ file_id: file.id, tools: [{ type: "file_search" as const }] }];
      const thread = await beta.threads.create({ messages: [{ role: "user", content: "x", attachments }] });
      const [store = ""] = thread.tool_resources?.file_search?.vector_store_ids ?? [];
      expect(await vectorStores.files.poll(store, file.id, poll)).toMatchObject({ status: "completed" });
    });

    test("are searched at a cost that the answer tells", async () => {
      const store = await vectorStores.create({});
      const { response } = await vectorStores.search(store.id, { query: "heron" }).withResponse();
      expect(response.headers.get("x-gw-response-cost")).toMatch(/^0(\.\d+)?$/);
    });

    test("are not promised what is not served", async () => {
      const store = await vectorStores.create({});
      const asked = { query: "heron", rewrite_query: true };
      expect(await statusOf(vectorStores.search(store.id, asked))).toBe(400);
      expect(await statusOf(vectorStores.search(store.id, { ...asked, rewrite_query: false }))).toBe(200);
      const file = await upload("1,2,3");
      const tool_resources = { code_interpreter: { file_ids: [file.id] } };
      expect(await statusOf(beta.assistants.create({ model: "echo", tool_resources }))).toBe(400);
    });
  });
}
