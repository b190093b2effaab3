import { afterAll, describe, expect, test } from "bun:test";
import { toFile } from "openai";
import { startApp } from "../app.ts";
import { clientOf, newCustomer, refusal } from "../assistants/clients.ts";

const app = await startApp();
afterAll(() => app.close());
const customer = await newCustomer(app);
const { body } = await customer.person.send("GET", "/api/gw/teams");
const teamId = (body as { data: { id: string }[] }).data[0]?.id;

/** A client whose key has so many requests per minute. */
async function newClient(rpmLimit = 1) {
  const made = await customer.person.send("POST", "/api/gw/api-keys", {
    team_id: teamId,
    name: crypto.randomUUID(),
    rpmLimit,
  });
  return clientOf(app, (made.body as { key: string }).key);
}

describe("requests per minute of a key", () => {
  const item = { type: "message", role: "user", content: "Hello" } as const;
  test.each([
    ["an upload", async (client) => client.files.create({ file: await toFile(Buffer.from("a")), purpose: "batch" })],
    ["a thread", (client) => client.beta.threads.create()],
    ["a conversation", (client) => client.conversations.create({ items: [item] })],
    ["a vector store", (client) => client.vectorStores.create({})],
    ["an assistant", (client) => client.beta.assistants.create({ model: "echo" })],
  ] as [string, (client: ReturnType<typeof clientOf>) => Promise<unknown>][])("count %s", async (_, create) => {
    const client = await newClient();
    await create(client);
    expect(await refusal(create(client))).toMatchObject({ status: 429 });
    const messages = [{ role: "user" as const, content: "Hello" }];
    expect((await refusal(client.chat.completions.create({ model: "echo", messages }))).message).toContain(
      "Rate limit exceeded for this key: 1 request a minute.",
    );
  });

  test("count what is added to a thread, a conversation and a vector store, and not what is read or deleted", async () => {
    const client = await newClient(6);
    const thread = await client.beta.threads.create();
    await client.beta.threads.messages.create(thread.id, { role: "user", content: "Hello" });
    const conversation = await client.conversations.create({});
    await client.conversations.items.create(conversation.id, { items: [item] });
    const store = await client.vectorStores.create({});
    const file = await client.files.create({ file: await toFile(Buffer.from("a")), purpose: "assistants" });
    for (const add of [
      () => client.beta.threads.messages.create(thread.id, { role: "user", content: "Hello" }),
      () => client.conversations.items.create(conversation.id, { items: [item] }),
      () => client.vectorStores.files.create(store.id, { file_id: file.id }),
      () => client.batches.create({ input_file_id: file.id, endpoint: "/v1/embeddings", completion_window: "24h" }),
      () => client.beta.threads.runs.create(thread.id, { assistant_id: "asst_1" }),
    ])
      expect(await refusal(add())).toMatchObject({ status: 429 });
    await client.beta.threads.messages.list(thread.id);
    await client.files.delete(file.id);
  });
});
