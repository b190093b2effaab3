import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newPerson, type Person, startAppOn } from "../accounts/people.ts";
import { MASTER_KEY, type TestApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { ALLOWED, isOver, personWith, RUNS, startRun, until } from "./hosted.ts";
import { modelOf, type Small, startSmall } from "./small-participants.ts";

const SLOW_MS = 60_000;
const PARTICIPANTS = "/api/training/participants";
const NAMES = ["north", "south"];
const PLAN = { name: "weather", rounds: 1, participants: NAMES };
const FIRST = { initialModel: Buffer.from(modelOf([1, 2, 3])).toString("base64") };
const TOKEN = "participants-token-0123456789abcdef";
/** What reads, and what changes; `:run` and `:participant` stand for ids. */
const READS = [
  `GET ${RUNS}`,
  `GET ${RUNS}/:run`,
  `GET ${RUNS}/:run/rounds`,
  `GET ${RUNS}/:run/events`,
  `GET ${RUNS}/:run/model`,
  `GET ${RUNS}/:run/report`,
  `GET ${PARTICIPANTS}`,
  `GET ${PARTICIPANTS}/:participant`,
];
const CHANGES = [
  `POST ${RUNS}`,
  `POST ${RUNS}/:run/pause`,
  `POST ${RUNS}/:run/resume`,
  `POST ${RUNS}/:run/rollback`,
  `POST ${RUNS}/:run/cancel`,
  `DELETE ${RUNS}/:run`,
  `POST ${PARTICIPANTS}`,
  `PATCH ${PARTICIPANTS}/:participant`,
  `POST ${PARTICIPANTS}/:participant/probe`,
  `DELETE ${PARTICIPANTS}/:participant`,
];
const BODIES: Readonly<Record<string, object>> = {
  [`POST ${RUNS}`]: { plan: PLAN, ...FIRST },
  [`POST ${RUNS}/:run/rollback`]: { round: 1 },
  [`POST ${PARTICIPANTS}`]: { name: "west", url: "http://127.0.0.1:2" },
  [`PATCH ${PARTICIPANTS}/:participant`]: { maxExamples: 5 },
};

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`roles in training on ${kind}`, () => {
    let app: TestApp;
    let participants: Small[];
    let owner: Person;
    let ids: Readonly<Record<":run" | ":participant", string>>;
    beforeAll(async () => {
      app = await startAppOn(kind, ALLOWED);
      participants = await Promise.all(NAMES.map((name, at) => startSmall(name, at)));
      owner = await personWith(app, participants);
      const { id } = await startRun(owner, PLAN, FIRST);
      await until(app, owner, id, isOver);
      const listed = (await owner.send("GET", PARTICIPANTS)).body as { data: { id: string }[] };
      ids = { ":run": id, ":participant": listed.data[0]?.id ?? "" };
    }, SLOW_MS);
    afterAll(async () => {
      await app.close();
      await Promise.all(participants.map((one) => one.stop()));
    });

    async function statusOf(what: string, token: string | null): Promise<number> {
      const [method = "", path = ""] = what.split(" ");
      const json = BODIES[what];
      const filled = path.replace(/:run|:participant/, (name) => ids[name as ":run"]);
      const answer = await app.call(filled, {
        method,
        headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), "x-organization-id": owner.ownId },
        ...(json ? { json } : {}),
      });
      await answer.text();
      return answer.status;
    }
    const statuses = async (list: readonly string[], token: string | null): Promise<number[]> => {
      const all = [];
      for (const what of list) all.push(await statusOf(what, token));
      return all;
    };
    const joined = async (role: "admin" | "member" | "viewer"): Promise<Person> => {
      const person = await newPerson(app);
      const { organizationMembers } = app.storage.accounts;
      await organizationMembers.insert({ organizationId: owner.ownId, userId: person.id, role, joinedAt: 1 });
      return person;
    };

    test(
      "members and viewers read all and change nothing",
      async () => {
        for (const role of ["member", "viewer"] as const) {
          const { token } = await joined(role);
          expect(await statuses(READS, token)).toEqual(READS.map(() => 200));
          expect(await statuses(CHANGES, token)).toEqual(CHANGES.map(() => 403));
        }
      },
      SLOW_MS,
    );

    test(
      "whoever is of another organization, or was removed, finds nothing",
      async () => {
        const stranger = await newPerson(app);
        const removed = await joined("admin");
        expect(await statusOf(`GET ${RUNS}/:run`, removed.token)).toBe(200);
        const out = await owner.send("DELETE", `/api/gw/organizations/${owner.ownId}/members/${removed.id}`);
        expect(out.status).toBe(200);
        for (const { token } of [stranger, removed]) {
          expect(await statuses([...READS, ...CHANGES], token)).toEqual([...READS, ...CHANGES].map(() => 404));
        }
      },
      SLOW_MS,
    );

    test(
      "neither keys of the gateway nor a participant's token open anything",
      async () => {
        await owner.send("POST", PARTICIPANTS, { name: "east", url: "http://127.0.0.1:1", token: TOKEN });
        for (const token of [null, TOKEN, MASTER_KEY, app.first.demoKey ?? ""]) {
          expect(await statuses([...READS, ...CHANGES], token)).toEqual([...READS, ...CHANGES].map(() => 401));
        }
      },
      SLOW_MS,
    );

    test(
      "whoever has left is told nothing more of a run that is being watched",
      async () => {
        const admin = await joined("admin");
        const made = await startRun(owner, { ...PLAN, rounds: 2 }, FIRST);
        const headers = { authorization: `Bearer ${admin.token}` };
        const answer = await app.call(`${RUNS}/${made.id}/events`, { headers });
        await owner.send("DELETE", `/api/gw/organizations/${owner.ownId}/members/${admin.id}`);
        const heard = answer.text();
        expect(await until(app, owner, made.id, isOver)).toMatchObject({ status: "completed" });
        expect(await heard).not.toContain("event: round");
      },
      SLOW_MS,
    );

    test(
      "the streams of whoever has logged out or was removed end while nothing happens, and the others' go on",
      async () => {
        const { id } = await startRun(owner, PLAN, FIRST);
        await owner.send("POST", `${RUNS}/${id}/pause`);
        const [leaver, removed, stayer] = [await joined("viewer"), await joined("admin"), await joined("viewer")];
        const watch = ({ token }: Person) =>
          app.call(`${RUNS}/${id}/events`, { headers: { authorization: `Bearer ${token}` } });
        const [left, out, stayed] = [await watch(leaver), await watch(removed), await watch(stayer)];
        expect((await leaver.send("POST", "/api/auth/logout")).status).toBe(200);
        await owner.send("DELETE", `/api/gw/organizations/${owner.ownId}/members/${removed.id}`);
        const texts = [await left.text(), await out.text()];
        for (const text of texts) expect(text).not.toContain("event: round");
        const reader = stayed.body?.getReader();
        expect((await reader?.read())?.done).toBe(false);
        // The run ends, and so does the stream of whoever was there all the time.
        await owner.send("POST", `${RUNS}/${id}/cancel`);
        let heard = "";
        for (let part = await reader?.read(); part?.value; part = await reader?.read())
          heard += Buffer.from(part.value).toString();
        expect(heard).toContain('"status":"cancelled"');
      },
      SLOW_MS,
    );

    test(
      "administrators change all of it",
      async () => {
        const { token } = await joined("admin");
        expect(await statuses(CHANGES, token)).toEqual([201, 409, 409, 200, 200, 200, 201, 200, 200, 409]);
      },
      SLOW_MS,
    );
  });
}
