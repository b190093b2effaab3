import { afterAll, describe, expect, test } from "bun:test";
import { MASTER_KEY } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { newPerson, startAppOn } from "./people.ts";

const DAY_MS = 24 * 3_600_000;
/** What is 422 elsewhere is 400 `VALIDATION_ERROR` under /api. */
const refusalOf = (path: string): number => (path.startsWith("/api/") ? 400 : 422);

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`creating keys and teams under an Idempotency-Key, on ${kind}`, async () => {
    if (missing) return;
    const clock = new SteppedClock();
    const app = await startAppOn(kind, "", clock);
    afterAll(() => app.close());
    const owner = await newPerson(app);
    const other = await newPerson(app);
    const { accounts } = app.storage;
    const teamId = (await accounts.teams.list(owner.ownId))[0]?.team.id ?? "";
    const secretOf = ({ token }: { token: string }) => token;
    const post = async (path: string, credential: string, json: object, idempotencyKey: string, more = {}) => {
      const headers = { "idempotency-key": idempotencyKey, ...more };
      const answer = await app.call(path, { key: credential, json, headers });
      const replayed = answer.headers.get("idempotent-replayed");
      const cacheControl = answer.headers.get("cache-control");
      return { status: answer.status, replayed, cacheControl, body: (await answer.json()) as Record<string, string> };
    };
    const cases = {
      "POST /api/gw/api-keys": (name: string) => ({
        path: "/api/gw/api-keys",
        who: secretOf(owner),
        json: { teamId, name },
      }),
      "POST /api/gw/teams": (name: string) => ({ path: "/api/gw/teams", who: secretOf(owner), json: { name } }),
      "POST /key/generate": (name: string) => ({ path: "/key/generate", who: MASTER_KEY, json: { key_alias: name } }),
      "POST /key/service-account/generate": (name: string) => ({
        path: "/key/service-account/generate",
        who: MASTER_KEY,
        json: { key_alias: name, team_id: teamId },
      }),
      "POST /team/new": (name: string) => ({ path: "/team/new", who: MASTER_KEY, json: { team_alias: name } }),
    };

    test.each(Object.entries(cases))("%s is made once, and answered again", async (what, request) => {
      const { path, who, json } = request(`Once ${what}`);
      const id = `of ${what}`;
      const first = await post(path, who, json, id);
      expect([first.status < 300, first.replayed]).toEqual([true, null]);
      const again = await post(path, who, json, id);
      expect(again).toEqual({ ...first, replayed: "true" });
      const changed = request(`Another ${what}`).json;
      expect((await post(path, who, changed, id)).status).toBe(refusalOf(path));
      const made = await accounts.audit.list({}, { page: 1, pageSize: 1000 });
      const named = made.rows.filter(
        ({ action, details }) => /^(api_key|team)\.create$/.test(action) && details.name === `Another ${what}`,
      );
      expect(named).toEqual([]);
      if (first.body.key !== undefined) expect(again.cacheControl).toBe("no-store");
    });

    test("one that is still running is 409, and of many at once one is made", async () => {
      const { path, who, json } = cases["POST /api/gw/api-keys"]("Raced");
      const answers = await Promise.all(Array.from({ length: 6 }, () => post(path, who, json, "raced")));
      const made = answers.filter(({ status }) => status === 201);
      expect(new Set(made.map(({ body }) => body.key)).size).toBe(1);
      expect(made.filter(({ replayed }) => replayed === null)).toHaveLength(1);
      expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
      const { total } = await accounts.keys.list({ teamIds: [teamId], name: "Raced" }, { page: 1, pageSize: 10 });
      expect(total).toBe(1);
    });

    test("what failed may be sent again, somebody else's header is another one, and so is another organization", async () => {
      const { path, who } = cases["POST /api/gw/teams"]("");
      const taken = { name: "Once POST /api/gw/teams" };
      expect((await post(path, who, taken, "retried")).status).toBe(409);
      // It failed, so it is made again rather than answered again.
      expect((await post(path, who, { name: "Free" }, "retried")).status).toBe(201);
      const json = { name: "Retried" };
      const mine = await post(path, who, json, "shared");
      const theirs = await post(path, secretOf(other), json, "shared");
      expect([mine.status, theirs.status, theirs.replayed]).toEqual([201, 201, null]);
      expect(theirs.body.id).not.toBe(mine.body.id);
      expect((await post(path, who, json, "shared", { "x-organization-id": other.ownId })).status).toBe(400);
    });

    test("what was made is found again by a caller who left before the answer", async () => {
      const { path, who, json } = cases["POST /api/gw/api-keys"]("Left");
      const answer = await app.call(path, { key: who, json, headers: { "idempotency-key": "left" } });
      await answer.body?.cancel();
      expect(await post(path, who, json, "left")).toMatchObject({ status: 201, replayed: "true" });
    });

    test("what was made in one organization is not told in another that was made the active one", async () => {
      const person = await newPerson(app);
      const send = () => post("/api/gw/teams", person.token, { name: "Everywhere" }, "everywhere");
      const first = await send();
      const made = await person.send("POST", "/api/gw/organizations", { name: "Second" });
      const { id } = made.body as unknown as { id: string };
      await person.send("POST", "/api/gw/organizations/active", { organizationId: id });
      const second = await send();
      // The header stands for the first request: it is neither made nor given again there.
      expect([first.status, second.status, second.replayed]).toEqual([201, 400, null]);
      expect(second.body).not.toHaveProperty("id");
    });

    test("the key of a kept answer is in no row of the database, and its time is a day", async () => {
      const { path, who, json } = cases["POST /api/gw/api-keys"]("Sealed");
      const first = await post(path, who, json, "sealed");
      const secret = first.body.key ?? "";
      const keyHash = new Bun.CryptoHasher("sha256").update("sealed").digest("hex");
      const asked = { scope: `user:${owner.id}`, keyHash, owner: "me", bodyHash: "", expiresAt: clock.nowMs() };
      const kept = await app.storage.keptAnswers.begin(asked, clock.nowMs());
      expect(kept).toMatchObject({ state: "done", status: 201, body: expect.stringMatching(/^v1\./) });
      const text = JSON.stringify(kept);
      for (const form of [secret, btoa(secret), btoa(secret).slice(0, 40)]) expect(text).not.toContain(form);
      clock.step(DAY_MS - 1);
      const later = (await newSession(owner.email)) ?? "";
      expect((await post(path, later, json, "sealed")).body.key).toBe(secret);
      clock.step(1);
      expect((await post(path, later, json, "sealed")).status).toBe(409);
    });

    test("a header that is too long is 422", async () => {
      const { path, who, json } = cases["POST /team/new"]("Long");
      expect((await post(path, who, json, "x".repeat(256))).status).toBe(422);
    });

    async function newSession(email: string): Promise<string | undefined> {
      const answer = await app.call("/api/auth/token", { json: { email, password: "a good long one" } });
      return ((await answer.json()) as { token?: string }).token;
    }
  });
}
