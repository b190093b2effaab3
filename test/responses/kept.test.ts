import { afterAll, describe, expect, test } from "bun:test";
import type { KeptResponse } from "../../src/assistants/kept-response-store.ts";
import type { ResponseAnswer } from "../../src/contract/responses.ts";
import { startAppOn } from "../accounts/people.ts";
import { newCustomer, refusal } from "../assistants/clients.ts";
import { DATABASES } from "../storage/databases.ts";

const MEBIBYTE = 1024 * 1024;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`kept responses on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind);
    afterAll(() => app.close());
    const { client, teamId } = await newCustomer(app);
    const store = app.storage.responses;
    let made = 0;
    const keep = async (fields: Partial<KeptResponse> = {}, text = "x"): Promise<string> => {
      const id = `resp_${String(made++).padStart(32, "0")}`;
      const now = Date.now();
      await store.insert({
        id,
        teamId,
        previousId: null,
        createdAt: now,
        expiresAt: now + 60_000,
        input: [{ type: "message", role: "user", content: text }],
        answer: { id, object: "response", status: "completed", output: [] } as unknown as ResponseAnswer,
        ...fields,
      });
      return id;
    };
    const goOn = (previous_response_id: string) =>
      client.responses.create({ model: "echo", input: "and?", previous_response_id });

    test("are gone when their time is over, and leave the database", async () => {
      const old = await keep({ expiresAt: Date.now() - 1 });
      const young = await keep();
      const after = await keep({ previousId: old });
      expect((await refusal(client.responses.retrieve(old))).status).toBe(404);
      expect((await refusal(goOn(old))).message).toContain(old);
      expect((await refusal(goOn(after))).message).toContain(old);
      await app.service.tidy();
      const rows = await store.findAll([old, young]);
      expect(rows.map(({ id }) => id)).toEqual([young]);
    });

    test("that nobody could answer any more are refused before they are read", async () => {
      let previousId: string | null = null;
      for (let at = 0; at < 5; at++) previousId = await keep({ previousId }, "x".repeat(7 * MEBIBYTE));
      const refused = await refusal(goOn(previousId ?? ""));
      expect(refused.status).toBe(400);
      expect(refused.message).toContain("longer than any model takes");
    });

    test("that go on from one another without end are refused", async () => {
      let previousId: string | null = null;
      for (let at = 0; at <= 1_000; at++) previousId = await keep({ previousId });
      expect((await refusal(goOn(previousId ?? ""))).message).toContain("More than 1000 responses");
    });

    test("are not asked for by what cannot be an id of one", async () => {
      for (const id of ["resp_\0", `resp_\ud800`, "thread_1"]) expect((await refusal(goOn(id))).status).toBe(404);
    });

    test("are put in by reference as often as somebody could say them", async () => {
      const item = { id: "msg_00000000000000000000000000000abc8000", type: "message", role: "user" };
      const content = "x".repeat(2 * MEBIBYTE);
      await keep({ id: "resp_00000000000000000000000000000abc", input: [{ ...item, content }] });
      const input = Array.from({ length: 50 }, () => ({ type: "item_reference" as const, id: item.id }));
      const refused = await refusal(client.responses.create({ model: "echo", input }));
      expect(refused.message).toContain("longer than any model takes");
    });

    test("list what was put in one by one, whatever ids it came with", async () => {
      const said = ["a", "b", "c"].map((content) => ({ role: "user" as const, content }));
      const input = said.map((item, at) => ({ ...item, id: at < 2 ? "same" : 7 }));
      const { id } = await client.responses.create({ model: "echo", input: input as unknown as typeof said });
      const ids: unknown[] = [];
      for await (const item of client.responses.inputItems.list(id, { limit: 1, order: "asc" })) {
        ids.push(item.id);
        if (ids.length > input.length) break;
      }
      expect(ids).toEqual(["same", expect.stringMatching(/^msg_/), expect.stringMatching(/^msg_/)]);
      expect(new Set(ids).size).toBe(3);
    });

    test("go with their team", async () => {
      const other = await newCustomer(app);
      const { id } = await other.client.responses.create({ model: "echo", input: "Hello!" });
      await other.person.send("DELETE", `/api/gw/teams/${other.teamId}`);
      expect(await store.findAll([id])).toEqual([]);
    });
  });
}
