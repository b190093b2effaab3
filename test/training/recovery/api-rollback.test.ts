import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startAppOn } from "../../accounts/people.ts";
import type { TestApp } from "../../app.ts";
import { DATABASES } from "../../storage/databases.ts";
import { ALLOWED, isOver, personWith, RUNS, startRun, until } from "../hosted.ts";
import { type Small, startSmall } from "../small-participants.ts";

const SLOW_MS = 60_000;

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`a hosted run on ${kind}`, () => {
    let app: TestApp;
    let participants: Small[];
    beforeAll(async () => {
      app = await startAppOn(kind, ALLOWED);
      participants = await Promise.all(["north", "south"].map((id, at) => startSmall(id, at)));
    }, SLOW_MS);
    afterAll(async () => {
      await app.close();
      await Promise.all(participants.map((one) => one.stop()));
    });

    test(
      "returns to an earlier round and continues from there",
      async () => {
        const person = await personWith(app, participants);
        const { id } = await startRun(person, { participants: ["north", "south"], rounds: 3, strategy: "fedadam" });
        await until(app, person, id, isOver);
        const roundsOf = async () => {
          const { body } = await person.send("GET", `${RUNS}/${id}/rounds?order=asc`);
          return (body as { data: ReadonlyArray<{ round: number; modelIn: string; modelOut: string }> }).data;
        };
        const before = await roundsOf();
        const calls = participants[0]?.calls.count ?? 0;

        const far = await person.send("POST", `${RUNS}/${id}/rollback`, { round: 4 });
        expect([far.status, far.body]).toMatchObject([409, { error: "The run has 3 finished rounds." }]);
        const returned = await person.send("POST", `${RUNS}/${id}/rollback`, { round: 1 });
        const reason = expect.stringMatching(/ returned it to round 1$/);
        expect([returned.status, returned.body]).toMatchObject([200, { status: "paused", reason, roundsDone: 1 }]);
        expect(await roundsOf()).toEqual(before.slice(0, 1));
        const model = (round: number) => app.call(`${RUNS}/${id}/model?round=${round}`, { key: person.token });
        expect([(await model(1)).status, (await model(2)).status]).toEqual([200, 404]);
        const report = await (await app.call(`${RUNS}/${id}/report`, { key: person.token })).text();
        expect(report).toContain("1 of 3 rounds");

        expect((await person.send("POST", `${RUNS}/${id}/resume`)).status).toBe(200);
        const done = await until(app, person, id, isOver);
        expect(done).toMatchObject({ status: "completed", roundsDone: 3 });
        const after = await roundsOf();
        expect(after.map(({ round }) => round)).toEqual([1, 2, 3]);
        expect([after[0], after[1]?.modelIn]).toEqual([before[0], before[0]?.modelOut]);
        expect(participants[0]?.calls.count).toBe(calls + 2);

        // A client that watches from the start sees all of it, and does not stop at the first end.
        const text = await (await app.call(`${RUNS}/${id}/events`, { key: person.token })).text();
        expect([...text.matchAll(/^event: (\w+)$/gm)].filter(([, event]) => event === "round")).toHaveLength(5);
        expect(text).toContain('"returnedTo":1');
        const { rows } = await app.storage.accounts.audit.list(
          { organizationId: person.ownId },
          { page: 1, pageSize: 99 },
        );
        const audited = rows.filter(({ action }) => action === "training_run.rollback");
        expect(audited.map(({ details }) => details)).toEqual([{ name: "training", round: 1 }]);
      },
      SLOW_MS,
    );

    test(
      "does not return while it is under way or after it was cancelled, and not for a stranger",
      async () => {
        const person = await personWith(app, participants);
        const { id } = await startRun(person, { participants: ["north", "south"], rounds: 1 });
        const rollback = (round: unknown) => person.send("POST", `${RUNS}/${id}/rollback`, { round });
        const words = "Only a paused or completed run can return to a round.";
        await person.send("POST", `${RUNS}/${id}/cancel`);
        expect([(await rollback(-1)).status, (await rollback("1")).status]).toEqual([400, 400]);
        expect((await rollback(0)).status).toBe(409);
        const other = await personWith(app, []);
        expect((await other.send("POST", `${RUNS}/${id}/rollback`, { round: 0 })).status).toBe(404);
        const done = await startRun(person, { participants: ["north", "south"], rounds: 1 });
        await until(app, person, done.id, isOver);
        await person.send("POST", `${RUNS}/${done.id}/rollback`, { round: 0 });
        await person.send("POST", `${RUNS}/${done.id}/resume`);
        const queued = await person.send("POST", `${RUNS}/${done.id}/rollback`, { round: 0 });
        expect([queued.status, queued.body]).toMatchObject([409, { error: words }]);
        await until(app, person, done.id, isOver);
      },
      SLOW_MS,
    );
  });
}
