import { afterAll, describe, expect, test } from "bun:test";
import { newPerson, startAppOn } from "../accounts/people.ts";
import { DATABASES } from "../storage/databases.ts";
import { CALLS, CONFIG, ROUNDING, SHAPES } from "./overdraw-shapes.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`concurrent calls never overdraw the credit, on ${kind}`, async () => {
    if (missing) return;
    const app = await startAppOn(kind, JSON.stringify(CONFIG));
    afterAll(() => app.close());

    test.each(SHAPES.map((shape) => [shape.name, shape] as const))("%s", async (_, { tokens, paidCalls, fields }) => {
      const { send } = await newPerson(app);
      const { data: teams } = (await send("GET", "/api/gw/teams")).body as { data: { id: string }[] };
      const created = await send("POST", "/api/gw/api-keys", { name: "k", teamId: teams[0]?.id });
      const { key } = created.body as { key: string };
      const json = { model: "priced", max_tokens: 1, user: tokens.join(" "), ...fields };
      const call = async (): Promise<number> => (await app.call("/v1/chat/completions", { key, json })).status;
      const statuses = await Promise.all(Array.from({ length: CALLS }, call));
      await app.service.flush();
      const answered = statuses.filter((status) => status === 200).length;
      // On a busy machine others may hold the rest for longer than a call waits: it is to be sent again (503).
      expect(statuses.filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
      expect(answered).toBeLessThanOrEqual(paidCalls);
      expect(answered > 0).toBe(paidCalls > 0);
      const { balance } = (await send("GET", "/api/balance")).body as { balance: number };
      expect(balance).toBeGreaterThanOrEqual(-ROUNDING);
    });
  });
}
