import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { Shop, USD } from "./shop.ts";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`thresholds of a balance on ${kind}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await Shop.open(kind);
    });
    afterAll(() => shop.close());

    test("that are chosen by several at once are one choice, also while the balance moves", async () => {
      const person = await newPerson(shop.app);
      const choices = Array.from({ length: 8 }, (_, at) => [USD, (at + 2) * USD]);
      const grant = { amount: 1, reason: "Moves the balance" };
      const answers = await Promise.all(
        choices.flatMap((thresholds) => [
          person.send("PUT", "/api/billing/alerts", { thresholds }).then(({ status }) => status),
          shop.app
            .call(`/api/admin/organizations/${person.ownId}/credits`, { key: MASTER_KEY, json: grant })
            .then(({ status }) => status),
        ]),
      );
      expect(answers).toEqual(answers.map(() => 200));
      const { body } = await person.send("GET", "/api/billing/alerts");
      const chosen = (body as { thresholds: { threshold: number }[] }).thresholds.map(({ threshold }) => threshold);
      expect(choices).toContainEqual(chosen.toReversed());
      expect(await shop.balance(person)).toBe(choices.length);
    });
  });
}
