import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { participantTransport, refusePrivateParticipant } from "../../src/start/participant-door.ts";
import { newPerson } from "../accounts/people.ts";
import { startApp, type TestApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { rejection } from "../storage/rejection.ts";
import { ALLOWED, RUNS } from "./hosted.ts";
import { newParticipant } from "./new-run.ts";
import { startSmall } from "./small-participants.ts";

const SLOW_MS = 60_000;
const PATH = "/api/training/participants";
const TOKEN = "a-token-that-nobody-may-see";

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`participants on ${kind}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      const database = await migratedUrl(kind);
      app = await startApp(ALLOWED, database);
    }, SLOW_MS);
    afterAll(() => app.close());

    test("are registered, seen, changed and removed, and their token is never shown nor kept in the open", async () => {
      const person = await newPerson(app);
      const made = await person.send("POST", PATH, { name: "north", url: "http://127.0.0.1:5000/", token: TOKEN });
      expect(made.status).toBe(201);
      expect(made.body).toMatchObject({
        name: "north",
        url: "http://127.0.0.1:5000",
        hasToken: true,
        maxExamples: null,
        probe: null,
        organizationId: person.ownId,
      });
      const { id } = made.body as { id: string };
      expect((await person.send("POST", PATH, { name: "north", url: "http://127.0.0.1:5001" })).status).toBe(409);
      const list = await person.send("GET", PATH);
      expect(list.body).toMatchObject({ data: [{ id }], meta: { total: 1 } });
      const stored = await app.storage.training.participants.find(id);
      expect(JSON.stringify([made.body, list.body, stored])).not.toContain(TOKEN);
      const capped = await person.send("PATCH", `${PATH}/${id}`, { max_examples: 500 });
      expect(capped.body).toMatchObject({ maxExamples: 500, hasToken: true });
      // A token must not travel to an address that it was not given for.
      expect((await person.send("PATCH", `${PATH}/${id}`, { url: "http://127.0.0.1:6000" })).status).toBe(400);
      const moved = await person.send("PATCH", `${PATH}/${id}`, { url: "http://127.0.0.1:6000", token: null });
      expect(moved.body).toMatchObject({ url: "http://127.0.0.1:6000", hasToken: false });
      expect((await person.send("DELETE", `${PATH}/${id}`)).status).toBe(200);
      expect((await person.send("GET", `${PATH}/${id}`)).status).toBe(404);
      const { rows } = await app.storage.accounts.audit.list(
        { organizationId: person.ownId },
        { page: 1, pageSize: 50 },
      );
      const actions = rows.map(({ action }) => action).filter((action) => action.startsWith("training_"));
      expect(actions.sort()).toEqual([
        "training_participant.create",
        "training_participant.remove",
        "training_participant.update",
        "training_participant.update",
      ]);
      expect(JSON.stringify(rows)).not.toContain(TOKEN);
    });

    test("members read them, administrators change them, operators too, and others do not find them", async () => {
      const owner = await newPerson(app);
      const { id } = (await owner.send("POST", PATH, { name: "a", url: "https://a.example.com" })).body as {
        id: string;
      };
      const [member, stranger, operator] = [await newPerson(app), await newPerson(app), await newPerson(app)];
      const { organizationMembers, users } = app.storage.accounts;
      const place = { organizationId: owner.ownId, userId: member.id, role: "member", joinedAt: Date.now() } as const;
      await organizationMembers.insert(place);
      await users.update(operator.id, { role: "admin" });
      expect((await member.send("GET", `${PATH}/${id}`)).status).toBe(200);
      expect((await member.send("PATCH", `${PATH}/${id}`, { maxExamples: 1 })).status).toBe(403);
      expect((await member.send("POST", `${PATH}/${id}/probe`)).status).toBe(403);
      expect((await stranger.send("GET", `${PATH}/${id}`)).status).toBe(404);
      expect((await stranger.send("DELETE", `${PATH}/${id}`)).status).toBe(404);
      expect((await operator.send("PATCH", `${PATH}/${id}`, { maxExamples: 1 })).status).toBe(200);
    });

    test("are registered once: who is there under another name would count twice", async () => {
      const [person, other] = [await newPerson(app), await newPerson(app)];
      const north = { name: "north", url: "http://127.0.0.1:5000/" };
      const { id } = (await person.send("POST", PATH, north)).body as { id: string };
      const south = { name: "south", url: "http://127.1:5000" };
      const words = "The participant north is registered at this address; it would count twice.";
      const refusal = [409, expect.objectContaining({ error: words })];
      const refused = await person.send("POST", PATH, south);
      expect([refused.status, refused.body]).toEqual(refusal);
      const made = await person.send("POST", PATH, { ...south, url: "http://127.0.0.1:5001" });
      const second = (made.body as { id: string }).id;
      const moved = await person.send("PATCH", `${PATH}/${second}`, { url: north.url });
      expect([moved.status, moved.body]).toEqual(refusal);
      // It may say again where it is, and come back after it was removed; what others have registered is theirs.
      expect((await person.send("PATCH", `${PATH}/${id}`, { url: north.url })).status).toBe(200);
      expect((await other.send("POST", PATH, north)).status).toBe(201);
      expect((await person.send("DELETE", `${PATH}/${id}`)).status).toBe(200);
      expect((await person.send("POST", PATH, { ...south, name: "west" })).status).toBe(201);
    });

    test("are registered once, however their address is written", async () => {
      const person = await newPerson(app);
      expect((await person.send("POST", PATH, { name: "a", url: "https://a.example.com/~x" })).status).toBe(201);
      expect((await person.send("POST", PATH, { name: "b", url: "http://127.0.0.1:5000" })).status).toBe(201);
      const again = [
        "https://A.Example.com.:443/%7Ex/",
        "https://a.example.com/%7ex",
        "http://[::ffff:127.0.0.1]:5000//",
        "http://2130706433:5000",
      ];
      for (const url of again) {
        const { status, body } = await person.send("POST", PATH, { name: "c", url });
        expect([url, status, body]).toEqual([url, 409, expect.objectContaining({ code: expect.any(String) })]);
      }
      const other = { name: "c", url: "https://a.example.com/~x/%2e%2e%2fy" };
      expect((await person.send("POST", PATH, other)).status).toBe(201);
    });

    test("that share an address from before are no two of one run, and can still be changed", async () => {
      const person = await newPerson(app);
      const { participants } = app.storage.training;
      const given = { url: "http://127.0.0.1:5000", sealedToken: null };
      for (const name of ["north", "south"])
        await participants.insert(newParticipant(person.ownId, { ...given, name }));
      const refused = await person.send("POST", RUNS, { plan: { participants: ["north", "south"], rounds: 1 } });
      const words = "plan: north and south are registered at the same address, and would count twice.";
      expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ error: words })]);
      const [one] = await participants.listNamed(person.ownId, ["south"]);
      const capped = await person.send("PATCH", `${PATH}/${one?.id}`, { url: given.url, maxExamples: 3 });
      expect(capped.body).toMatchObject({ maxExamples: 3 });
    });

    test("keep both of two changes that come at once", async () => {
      const person = await newPerson(app);
      const { id } = (await person.send("POST", PATH, { name: "a", url: "https://a.example.com" })).body as {
        id: string;
      };
      for (const at of [1, 2, 3]) {
        const moved = { url: `https://b${at}.example.com`, token: TOKEN };
        const changed = await Promise.all([
          person.send("PATCH", `${PATH}/${id}`, { maxExamples: at }),
          person.send("PATCH", `${PATH}/${id}`, moved),
        ]);
        expect(changed.map(({ status }) => status)).toEqual([200, 200]);
        expect((await person.send("GET", `${PATH}/${id}`)).body).toMatchObject({ url: moved.url, maxExamples: at });
      }
    });

    test("tell how they are when they are asked", async () => {
      const person = await newPerson(app);
      const small = await startSmall("<b>north</b>", 0);
      const odd = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ secret: "inside" }) });
      const register = async (name: string, url: string) =>
        ((await person.send("POST", PATH, { name, url })).body as { id: string }).id;
      const probe = async (id: string) => (await person.send("POST", `${PATH}/${id}/probe`)).body;
      try {
        const id = await register("well", small.url);
        expect(await probe(id)).toMatchObject({ probe: { ok: true, detail: "<b>north</b>", datasets: ["default"] } });
        const other = await probe(await register("odd", `http://127.0.0.1:${odd.port}`));
        expect(other).toMatchObject({ probe: { ok: false, detail: "What answers there is no participant." } });
        expect(JSON.stringify(other)).not.toContain("inside");
        await small.stop();
        expect(await probe(id)).toMatchObject({
          probe: { ok: false, detail: expect.stringMatching(/^Nothing answers at http:\/\/127\.0\.0\.1:\d+$/) },
        });
      } finally {
        await odd.stop(true);
      }
    });
  });
}

describe("addresses that an organization names", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  }, SLOW_MS);
  afterAll(() => app.close());

  test.each([
    "http://127.0.0.1:5000",
    "http://localhost:5000",
    "http://x.localhost:5000",
    "http://[::1]:5000",
    "http://10.0.0.5",
    "http://169.254.169.254",
    "http://2130706433:5000",
    "http://0x7f.1:5000",
    "https://a.example.com:22",
    "http://intranet",
    "ftp://a.example.com",
    "https://user:pass@10.0.0.1",
    "https://user:pass@a.example.com",
    "https://token@a.example.com",
    "http://localhost.:5000",
    "https://a.example.com/?x=1",
    "file:///etc/passwd",
  ])("are refused when they are not public: %s", async (url) => {
    const person = await newPerson(app);
    const refused = await person.send("POST", PATH, { name: "a", url });
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ code: "VALIDATION_ERROR", error: expect.stringContaining("url:") });
  });

  test("are looked up, and refused when the name leads inside, also when it did not a moment ago", async () => {
    const answers = [["93.184.216.34", "10.0.0.1"], ["127.0.0.1"], ["::ffff:127.0.0.1"]];
    const door = participantTransport(false, 100, async () => answers.shift() ?? []);
    for (let left = answers.length; left > 0; left--) {
      const refused = (await rejection(
        door("http://inside.example.com:5000/info", { method: "GET", headers: {} }),
      )) as Error;
      expect(refused.message).toContain("may not be called");
    }
    expect(() => refusePrivateParticipant("http://inside.example.com:5000")).not.toThrow();
  });

  test("a redirect is not followed, and an answer without an end is cut off", async () => {
    let reached = 0;
    const inside = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch() {
        reached++;
        return new Response("inside");
      },
    });
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) =>
        url.endsWith("/long")
          ? new Response("x".repeat(1000))
          : new Response(null, { status: 302, headers: { location: `http://127.0.0.1:${inside.port}/` } }),
    });
    try {
      const door = participantTransport(true, 100);
      const moved = await door(`http://127.0.0.1:${server.port}/`, { method: "GET", headers: {} });
      expect([moved.status, reached]).toEqual([302, 0]);
      const long = await door(`http://127.0.0.1:${server.port}/long`, { method: "GET", headers: {} });
      expect(((await rejection(long.text())) as Error).message).toContain("longer than 100 bytes");
    } finally {
      await Promise.all([server.stop(true), inside.stop(true)]);
    }
  });
});
