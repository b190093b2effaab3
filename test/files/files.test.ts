import { afterAll, describe, expect, test } from "bun:test";
import { toFile } from "openai";
import { startAppOn } from "../accounts/people.ts";
import { all, newCustomer, refusal } from "../assistants/clients.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { docxOf, pdfOf } from "./documents.ts";

const file = (name: string, content: string | Uint8Array) => toFile(Buffer.from(content), name);
const text = (name: string, content: string) => file(name, content);

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`files on ${kind}`, async () => {
    if (missing) return;
    const clock = new SteppedClock();
    const app = await startAppOn(kind, "general_settings:\n  max_file_size_mb: 1\n  signup_credits: 10\n", clock);
    afterAll(() => app.close());
    const { client, key } = await newCustomer(app);
    const stranger = await newCustomer(app);

    test("are kept as they came, listed, and gone when they are deleted", async () => {
      const bytes = crypto.getRandomValues(new Uint8Array(50_000));
      const made = await client.files.create({ file: await toFile(bytes, "größe 🚀.bin"), purpose: "assistants" });
      expect(made).toMatchObject({ object: "file", bytes: 50_000, filename: "größe 🚀.bin", purpose: "assistants" });
      expect(await client.files.retrieve(made.id)).toEqual(made);
      const content = await client.files.content(made.id);
      expect(new Uint8Array(await content.arrayBuffer())).toEqual(bytes);
      expect(content.headers.get("x-content-type-options")).toBe("nosniff");
      const other = await client.files.create({ file: await text("b.txt", "b"), purpose: "user_data" });
      expect((await all(client.files.list({ order: "asc" }))).map(({ id }) => id)).toEqual([made.id, other.id]);
      expect((await all(client.files.list({ purpose: "user_data" }))).map(({ id }) => id)).toEqual([other.id]);
      expect((await all(client.files.list({ limit: 1 }))).map(({ id }) => id)).toEqual([other.id, made.id]);
      expect(await client.files.delete(made.id)).toEqual({ id: made.id, object: "file", deleted: true });
      expect((await refusal(client.files.retrieve(made.id))).status).toBe(404);
      expect((await refusal(client.files.content(made.id))).status).toBe(404);
    });

    test("are sent one at a time, and with something in them", async () => {
      const before = (await all(client.files.list())).length;
      for (const [parts, status, param] of [
        [["a.txt", "one", "file"], ["b.txt", "two", "file"], 422, "file"],
        [["a.txt", "one", "file"], ["b.txt", "two", "other"], 422, "other"],
        [["a.txt", "", "file"], 400, "file"],
      ].map((row) => [row.filter(Array.isArray), ...row.slice(-2)] as [[string, string, string][], number, string])) {
        const form = new FormData();
        form.set("purpose", "assistants");
        for (const [name, content, field] of parts) form.append(field, new File([content], name));
        const response = await app.call("/v1/files", { key, body: form });
        const { error } = (await response.json()) as { error: { param: string } };
        expect([response.status, error.param]).toEqual([status, param]);
      }
      expect(await all(client.files.list())).toHaveLength(before);
    });

    test("of another team are not there", async () => {
      const made = await client.files.create({ file: await text("a.txt", "secret"), purpose: "assistants" });
      const theirs = stranger.client.files;
      for (const call of [
        () => theirs.retrieve(made.id),
        () => theirs.content(made.id),
        () => theirs.delete(made.id),
        () => theirs.list({ after: made.id }),
      ]) {
        expect((await refusal(call())).status).toBe(404);
      }
      expect(await all(theirs.list())).toEqual([]);
    });

    test("are refused with a reason", async () => {
      const upload = (form: FormData) => app.call("/v1/files", { method: "POST", key, body: form });
      const form = (fields: Record<string, string>, size = 3) => {
        const made = new FormData();
        for (const [name, value] of Object.entries(fields)) made.set(name, value);
        made.set("file", new File([new Uint8Array(size)], "../../etc/pass\nwd"));
        return made;
      };
      expect((await upload(form({}))).status).toBe(422);
      expect((await upload(form({ purpose: "mischief" }))).status).toBe(422);
      expect((await upload(form({ purpose: "assistants", "expires_after[seconds]": "5" }))).status).toBe(422);
      const since = { "expires_after[anchor]": "last_active_at", "expires_after[seconds]": "3600" };
      expect((await upload(form({ purpose: "assistants", ...since }))).status).toBe(422);
      expect((await upload(form({ purpose: "assistants" }, 1024 * 1024 + 1))).status).toBe(413);
      const odd = (await (await upload(form({ purpose: "assistants" }))).json()) as { filename: string };
      expect(odd.filename).not.toMatch(/[/\\\n]/);
      const long = await client.files.create({ file: await text(`a${"🚀".repeat(300)}`, "x"), purpose: "assistants" });
      expect(long.filename).toBe(`a${"🚀".repeat(249)}`);
      expect(await client.files.retrieve(long.id)).toEqual(long);
    });

    test("end when they were told to, with what they held", async () => {
      const { client: own } = await newCustomer(app);
      const made = await own.files.create({
        file: await text("short.txt", "x"),
        purpose: "assistants",
        expires_after: { anchor: "created_at", seconds: 3600 },
      });
      expect(made.expires_at).toBe(made.created_at + 3600);
      clock.step(3_600_001);
      expect((await refusal(own.files.retrieve(made.id))).status).toBe(404);
      await app.service.tidy();
      expect(await app.storage.files.files.known([made.id])).toEqual(new Set());
    });

    test("go with their team", async () => {
      const gone = await newCustomer(app);
      const made = await gone.client.files.create({ file: await text("t.txt", "x"), purpose: "assistants" });
      await gone.person.send("DELETE", `/api/gw/teams/${gone.teamId}`);
      expect(await app.storage.files.files.known([made.id])).toEqual(new Set());
    });
  });

  describe.skipIf(missing)(`vector stores on ${kind}`, async () => {
    if (missing) return;
    const clock = new SteppedClock();
    const app = await startAppOn(kind, "", clock);
    afterAll(() => app.close());
    const { client } = await newCustomer(app);
    const stranger = await newCustomer(app);
    const stores = client.vectorStores;
    const poll = { pollIntervalMs: 10 };
    const upload = async (name: string, content: string | Uint8Array) =>
      client.files.create({ file: await file(name, content), purpose: "assistants" });
    const KITCHEN =
      "# Kitchen\n\nThe kettle is descaled with vinegar once a month.\n\nBread is kept in the wooden box.";
    const GARDEN =
      "# Garden\n\nTomatoes are watered in the evening.\n\nThe hedge is cut in February, before birds nest.";

    test("read text, markdown, HTML, PDF and DOCX, and find their passages", async () => {
      const store = await stores.create({ name: "House" });
      expect(store).toMatchObject({ object: "vector_store", name: "House", status: "completed" });
      const sources: Record<string, string | Uint8Array> = {
        "kitchen.md": KITCHEN,
        "garden.txt": GARDEN,
        "attic.html":
          "<html><head><style>x{}</style></head><body><h1>Attic</h1><p>Old letters lie in the trunk &amp; the chest.</p><script>evil()</script></body></html>",
        "cellar.pdf": pdfOf(["Wine bottles rest in the cellar.", "The fuse box is behind the shelf."]),
        "roof.docx": docxOf(["The chimney is swept in autumn.", "Slates are kept for repairs."]),
      };
      for (const [name, content] of Object.entries(sources)) {
        const { id } = await upload(name, content);
        const read = await stores.files.createAndPoll(store.id, { file_id: id }, poll);
        expect(read).toMatchObject({ id, object: "vector_store.file", status: "completed", last_error: null });
        expect(read.usage_bytes).toBeGreaterThan(0);
      }
      expect(await stores.retrieve(store.id)).toMatchObject({
        status: "completed",
        file_counts: { completed: 5, total: 5, in_progress: 0, failed: 0, cancelled: 0 },
      });
      for (const [query, name, words] of [
        ["How do I descale the kettle?", "kitchen.md", "vinegar"],
        ["when to cut the hedge", "garden.txt", "February"],
        ["where are the old letters", "attic.html", "trunk & the chest"],
        ["fuse box", "cellar.pdf", "behind the shelf"],
        ["sweeping the chimney", "roof.docx", "autumn"],
      ] as const) {
        const [best] = await all(stores.search(store.id, { query }));
        expect(best?.filename).toBe(name);
        expect(best?.content[0]?.text).toContain(words);
        expect(best?.content[0]?.text).not.toContain("evil");
      }
      const few = await all(stores.search(store.id, { query: "the", max_num_results: 2 }));
      expect(few.length).toBeLessThanOrEqual(2);
      const scores = (await all(stores.search(store.id, { query: "the kettle" }))).map(({ score }) => score);
      expect(scores).toEqual(scores.toSorted((a, b) => b - a));
      expect(scores[0]).toBeLessThanOrEqual(1);
      const strict = { query: "zebra quantum", ranking_options: { score_threshold: 0.9 } };
      expect(await all(stores.search(store.id, strict))).toEqual([]);
      const odd = { query: `"' OR * ) & | ! : ~ <-> near/2 🚀` };
      expect(await all(stores.search(store.id, odd))).toBeArray();
    });

    test("narrow a search by attributes", async () => {
      const store = await stores.create({});
      for (const [name, attributes] of [
        ["a.txt", { year: 2020, kind: "note", open: true }],
        ["b.txt", { year: 2024, kind: "letter", open: false }],
      ] as const) {
        const { id } = await upload(name, `A text about apples in ${name}`);
        await stores.files.createAndPoll(store.id, { file_id: id, attributes }, poll);
      }
      const search = async (filters: object) =>
        (await all(stores.search(store.id, { query: "apples", filters } as never)))
          .map(({ filename }) => filename)
          .sort();
      expect(await search({ type: "eq", key: "kind", value: "note" })).toEqual(["a.txt"]);
      expect(await search({ type: "gt", key: "year", value: 2020 })).toEqual(["b.txt"]);
      expect(await search({ type: "gte", key: "year", value: 2020 })).toEqual(["a.txt", "b.txt"]);
      expect(await search({ type: "in", key: "kind", value: ["letter", "card"] })).toEqual(["b.txt"]);
      const both = [
        { type: "ne", key: "open", value: true },
        { type: "lt", key: "year", value: 2022 },
      ];
      expect(await search({ type: "and", filters: both })).toEqual([]);
      expect(await search({ type: "or", filters: both })).toEqual(["a.txt", "b.txt"]);
      const [first] = await all(stores.files.list(store.id));
      const changed = await stores.files.update(first?.id ?? "", {
        vector_store_id: store.id,
        attributes: { kind: "x" },
      });
      expect(changed.attributes).toEqual({ kind: "x" });
    });

    test("take files in batches, and say which could not be read", async () => {
      const store = await stores.create({});
      const good = await upload("good.txt", "Good text.");
      const empty = await upload("empty.txt", "   ");
      const binary = await upload("binary.bin", new Uint8Array([0xff, 0x00, 0xfe, 0x80]));
      const broken = await upload("broken.pdf", "%PDF-1.4 and then nothing");
      const file_ids = [good.id, empty.id, binary.id, broken.id];
      const batch = await stores.fileBatches.createAndPoll(store.id, { file_ids }, poll);
      expect(batch).toMatchObject({
        object: "vector_store.files_batch",
        status: "completed",
        file_counts: { completed: 1, failed: 3, total: 4 },
      });
      const failed = await all(stores.fileBatches.listFiles(batch.id, { vector_store_id: store.id, filter: "failed" }));
      const why = Object.fromEntries(failed.map(({ id, last_error }) => [id, last_error?.code]));
      expect(why).toEqual({ [empty.id]: "invalid_file", [binary.id]: "unsupported_file", [broken.id]: "invalid_file" });
      const cancelled = await stores.fileBatches.cancel(batch.id, { vector_store_id: store.id });
      expect(cancelled.file_counts.completed).toBe(1);
    });

    test("are filled by the client's helper, and emptied as they are told", async () => {
      const store = await stores.create({ expires_after: { anchor: "last_active_at", days: 1 } });
      const read = await stores.files.uploadAndPoll(store.id, await text("kitchen.md", KITCHEN), poll);
      expect(read.status).toBe("completed");
      const content = await all(stores.files.content(read.id, { vector_store_id: store.id }));
      expect(content.map((part) => part.text).join("")).toContain("vinegar");
      const of = { vector_store_id: store.id };
      expect(await stores.files.delete(read.id, of)).toMatchObject({
        deleted: true,
        object: "vector_store.file.deleted",
      });
      expect(await all(stores.search(store.id, { query: "kettle" }))).toEqual([]);
      expect((await client.files.retrieve(read.id)).id).toBe(read.id);
      await stores.files.createAndPoll(store.id, { file_id: read.id }, poll);
      expect(await all(stores.search(store.id, { query: "kettle" }))).toHaveLength(1);
      await client.files.delete(read.id);
      expect(await all(stores.search(store.id, { query: "kettle" }))).toEqual([]);
      clock.step(25 * 3_600_000);
      expect((await stores.retrieve(store.id)).status).toBe("expired");
      expect((await refusal(stores.search(store.id, { query: "x" }).then())).status).toBe(400);
      expect(await stores.delete(store.id)).toMatchObject({ deleted: true });
      expect((await refusal(stores.retrieve(store.id))).status).toBe(404);
    });

    test("of another team are not there, whatever names them", async () => {
      const { id: fileId } = await upload("a.txt", "secret words");
      const store = await stores.create({ file_ids: [fileId] });
      await app.service.indexer.idle();
      const batch = await stores.fileBatches.create(store.id, { file_ids: [fileId] });
      await app.service.indexer.idle();
      const theirs = stranger.client.vectorStores;
      const own = await theirs.create({});
      const of = { vector_store_id: store.id };
      for (const call of [
        () => theirs.retrieve(store.id),
        () => theirs.update(store.id, { name: "Mine" }),
        () => theirs.delete(store.id),
        () => theirs.search(store.id, { query: "secret" }),
        () => theirs.list({ after: store.id }),
        () => theirs.create({ file_ids: [fileId] }),
        () => theirs.files.create(own.id, { file_id: fileId }),
        () => theirs.files.create(store.id, { file_id: fileId }),
        () => theirs.files.list(store.id),
        () => theirs.files.list(own.id, { after: fileId }),
        () => theirs.files.retrieve(fileId, of),
        () => theirs.files.retrieve(fileId, { vector_store_id: own.id }),
        () => theirs.files.update(fileId, { ...of, attributes: {} }),
        () => theirs.files.content(fileId, of),
        () => theirs.files.delete(fileId, of),
        () => theirs.fileBatches.create(own.id, { file_ids: [fileId] }),
        () => theirs.fileBatches.retrieve(batch.id, of),
        () => theirs.fileBatches.retrieve(batch.id, { vector_store_id: own.id }),
        () => theirs.fileBatches.cancel(batch.id, of),
        () => theirs.fileBatches.listFiles(batch.id, of),
        () =>
          stranger.client.beta.assistants.create({
            model: "echo",
            tools: [{ type: "file_search" }],
            tool_resources: { file_search: { vector_store_ids: [store.id] } },
          }),
        () =>
          stranger.client.beta.threads.create({ tool_resources: { file_search: { vector_store_ids: [store.id] } } }),
        () =>
          stranger.client.beta.threads.create({
            messages: [
              { role: "user", content: "x", attachments: [{ file_id: fileId, tools: [{ type: "file_search" }] }] },
            ],
          }),
      ]) {
        expect((await refusal(call() as Promise<unknown>)).status).toBe(404);
      }
      expect((await all(theirs.list())).map(({ id }) => id)).toEqual([own.id]);
      expect((await stores.retrieve(store.id)).name).toBe("");
    });

    test("that a dead process was filling are filled by another", async () => {
      const { id } = await upload("late.txt", "Read by the second one.");
      const store = await stores.create({});
      const { entries } = app.storage.files;
      await stores.files.createAndPoll(store.id, { file_id: id }, poll);
      const entry = await entries.find(store.id, id);
      if (!entry) throw new Error("there is no entry");
      const now = clock.nowMs();
      await entries.put({ ...entry, status: "in_progress", leaseOwner: "somebody else", leaseUntil: now + 1_000 });
      await app.service.indexer.tick();
      await app.service.indexer.idle();
      expect((await entries.find(store.id, id))?.status).toBe("in_progress");
      clock.step(2_000);
      await app.service.indexer.tick();
      await app.service.indexer.idle();
      expect(await entries.find(store.id, id)).toMatchObject({ status: "completed", attempts: 2 });
    });

    test("answer the file search of a run, which cites what it found", async () => {
      const thread = await client.beta.threads.create({
        messages: [
          {
            role: "user",
            content: "Use file search: how is the kettle descaled?",
            attachments: [{ file_id: (await upload("kitchen.md", KITCHEN)).id, tools: [{ type: "file_search" }] }],
          },
        ],
      });
      expect(thread.tool_resources?.file_search?.vector_store_ids).toHaveLength(1);
      const assistant = await client.beta.assistants.create({ model: "echo", tools: [{ type: "file_search" }] });
      const { runs, messages } = client.beta.threads;
      const run = await runs.createAndPoll(thread.id, { assistant_id: assistant.id }, poll);
      expect(run.status).toBe("completed");
      const include: ["step_details.tool_calls[*].file_search.results[*].content"] = [
        "step_details.tool_calls[*].file_search.results[*].content",
      ];
      const steps = await all(runs.steps.list(run.id, { thread_id: thread.id, order: "asc", include }));
      expect(steps.map(({ type }) => type)).toEqual(["tool_calls", "message_creation"]);
      expect(steps[0]?.step_details).toMatchObject({
        tool_calls: [
          {
            type: "file_search",
            file_search: {
              results: [{ file_name: "kitchen.md", content: [{ text: expect.stringContaining("vinegar") }] }],
            },
          },
        ],
      });
      const plain = await all(runs.steps.list(run.id, { thread_id: thread.id, order: "asc" }));
      expect(JSON.stringify(plain[0])).not.toContain("vinegar");
      const [answer] = (await messages.list(thread.id, { run_id: run.id })).data;
      const part = answer?.content[0];
      if (part?.type !== "text") throw new Error("the answer is no text");
      expect(part.text.value).toContain("vinegar");
      const [citation] = part.text.annotations;
      expect(citation).toMatchObject({ type: "file_citation", text: "【0:0†kitchen.md】" });
      expect(part.text.value.slice(citation?.start_index, citation?.end_index)).toBe("【0:0†kitchen.md】");
    });

    test("and pictures in files reach the model", async () => {
      const png = Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "base64",
      );
      const picture = await client.files.create({ file: await toFile(png, "dot.png"), purpose: "vision" });
      const noPicture = await upload("note.txt", "not a picture");
      const assistant = await client.beta.assistants.create({ model: "echo" });
      const ask = (file_id: string) =>
        client.beta.threads.createAndRunPoll(
          {
            assistant_id: assistant.id,
            thread: { messages: [{ role: "user", content: [{ type: "image_file", image_file: { file_id } }] }] },
          },
          poll,
        );
      const run = await ask(picture.id);
      expect(run.status).toBe("completed");
      const [said] = (await client.beta.threads.messages.list(run.thread_id)).data;
      expect(JSON.stringify(said?.content)).toContain("[image]");
      expect(await ask(noPicture.id)).toMatchObject({ status: "failed", last_error: { code: "invalid_prompt" } });
    });
  });
}
