import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ApiKey } from "../../src/accounts/records.ts";
import { newPerson, startAppOn } from "../accounts/people.ts";
import type { TestApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { newKey } from "../storage/new-records.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** More than fit in two pages of those that are looked up at once. */
const MANY = 1_100;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`keys that are about to end, on ${kind}`, () => {
    const clock = new SteppedClock();
    let app: TestApp;
    beforeAll(async () => {
      app = await startAppOn(kind, "", clock);
    });
    afterAll(() => app.close());

    const look = () => app.storage.billing.notices.tellOfExpiring(clock.nowMs() + 7 * DAY_MS, clock.nowMs());
    async function store(count: number, given: (index: number) => Partial<ApiKey>): Promise<void> {
      const { teams, keys } = app.storage.accounts;
      const [own] = await teams.list((await newPerson(app)).ownId);
      for (let index = 0; index < count; index++) await keys.insert(newKey(own?.team.id ?? "", given(index)));
    }

    test("are all told of in one look, however many they are, and none twice", async () => {
      // Some at the same moment: the order has to tell them apart.
      await store(MANY, (index) => ({ expiresAt: clock.nowMs() + DAY_MS + (index % 3) }));
      expect(await look()).toBe(MANY);
      expect(await look()).toBe(0);
    });

    test("are told of where many others, whose time has not come, end before them", async () => {
      const soon = clock.nowMs() + HOUR_MS;
      await store(MANY, () => ({ unseenAt: clock.nowMs() - 1, previousUntil: soon }));
      await store(1, () => ({ unseenAt: clock.nowMs() - 2 * HOUR_MS, previousUntil: soon + 1 }));
      expect(await look()).toBe(1);
      clock.step(HOUR_MS / 2);
      expect(await look()).toBe(MANY);
    });
  });
}
