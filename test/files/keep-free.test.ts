import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { toFile } from "openai";
import { startAppOn } from "../accounts/people.ts";
import type { TestApp } from "../app.ts";
import { type Customer, newCustomer } from "../assistants/clients.ts";
import { DATABASES } from "../storage/databases.ts";

const MORE_THAN_THERE_IS = 1_000_000_000;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`on ${kind}, a server whose disk is almost full`, () => {
    let app: TestApp;
    let customer: Customer;
    beforeAll(async () => {
      app = await startAppOn(kind, `general_settings:\n  keep_free_mb: ${MORE_THAN_THERE_IS}\n`);
      customer = await newCustomer(app);
    });
    afterAll(() => app?.close());

    const failure = (work: Promise<unknown>) =>
      work.then(
        () => null,
        ({ status, error }) => ({ status, code: error?.code, message: error?.message }),
      );
    const full = { status: 507, code: "insufficient_storage", message: expect.stringContaining("almost full") };

    test("refuses uploads, and calls continue", async () => {
      const { client } = customer;
      const file = await toFile(Buffer.from("text"), "a.txt");
      expect(await failure(client.files.create({ file, purpose: "user_data" }))).toMatchObject(full);
      expect((await client.files.list()).data).toEqual([]);
      const messages = [{ role: "user" as const, content: "Hello" }];
      expect((await client.chat.completions.create({ model: "echo", messages })).choices).toHaveLength(1);
      expect((await client.responses.create({ model: "echo", input: "Hello" })).status).toBe("completed");
    });

    test("stores texts only if the database is elsewhere", async () => {
      const { client } = customer;
      const texts = [
        () => client.beta.threads.create({ messages: [{ role: "user", content: "Hello" }] }),
        () => client.conversations.create({}),
        () => client.vectorStores.create({}),
        () => client.beta.assistants.create({ model: "echo" }),
        () => client.responses.create({ model: "echo", input: "Hello", background: true }),
      ];
      for (const create of texts) {
        const failed = await failure(create());
        if (kind === "sqlite") expect(failed).toMatchObject(full);
        else expect(failed).toBeNull();
      }
      expect((await client.responses.create({ model: "echo", input: "Hello" })) as object).toMatchObject({
        store: kind === "postgres",
      });
    });
  });
}
