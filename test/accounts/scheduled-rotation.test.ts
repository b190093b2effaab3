import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ScheduledRotation } from "../../src/accounts/scheduled-rotation.ts";
import { deriveSecrets } from "../../src/accounts/secrets.ts";
import { createLogger } from "../../src/lib/log.ts";
import { MASTER_KEY, type TestApp } from "../app.ts";
import { errorFormat } from "../gateway-admin/face.ts";
import { type SmtpServer, startSmtp } from "../services/smtp.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { DATABASES } from "../storage/databases.ts";
import { newKey } from "../storage/new-records.ts";
import { newPerson, type Person, startAppOn } from "./people.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SECRET = "a-secret-for-tests-0123456789abcdef";
const EVERY_2H = { autoRotate: true, rotationInterval: "2h", rotationGraceSeconds: 3600 };

type Answer = Record<string, never> & { key: string; id: string; [field: string]: unknown };

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`scheduled rotation on ${kind}`, () => {
    const clock = new SteppedClock();
    let app: TestApp;
    let smtp: SmtpServer;
    let owner: Person;
    let teamId: string;
    beforeAll(async () => {
      smtp = await startSmtp();
      const yaml = `general_settings:\n  smtp_url: ${smtp.url}\n  billing: {allow_private_webhooks: true}\n`;
      app = await startAppOn(kind, yaml, clock);
    });
    // Sessions end sooner than these tests would otherwise take.
    beforeEach(async () => {
      owner = await newPerson(app);
      const [team] = await app.storage.accounts.teams.list(owner.ownId);
      teamId = team?.team.id ?? "";
    });
    afterAll(async () => {
      await app.close();
      await smtp.stop();
    });

    let serial = 0;
    const create = async (settings: object = EVERY_2H): Promise<Answer> => {
      const made = await owner.send("POST", "/api/gw/api-keys", { name: `Key ${++serial}`, teamId, ...settings });
      expect(made.status).toBe(201);
      return made.body as Answer;
    };
    const show = async ({ id }: { id: string }) => (await owner.send("GET", `/api/gw/api-keys/${id}`)).body as Answer;
    const pickUp = async ({ id }: { id: string }, who: Person = owner) => {
      const answer = await who.send("POST", `/api/gw/api-keys/${id}/pick-up`);
      return { status: answer.status, body: answer.body as Answer };
    };
    const chat = async (key: string): Promise<number> => {
      const json = { model: "echo", messages: [{ role: "user", content: "hi" }] };
      return (await app.call("/v1/chat/completions", { key, json })).status;
    };
    const audited = async (id: string) => {
      const { rows } = await app.storage.accounts.audit.list({}, { page: 1, pageSize: 500 });
      return rows.filter(({ targetId }) => targetId === id).toReversed();
    };
    /** What another process does. */
    const elsewhere = () =>
      new ScheduledRotation({
        stores: app.storage.accounts,
        clock,
        log: createLogger("error", () => undefined),
        verifier: { hash: hashOf, forget: () => undefined },
        sealingKey: deriveSecrets(SECRET).sealingKey,
      });
    const { keyPepper } = deriveSecrets(SECRET);
    const hashOf = (key: string) => new Bun.CryptoHasher("sha256", keyPepper).update(key).digest("hex");

    test("a key is given a new value when its time has come, which is shown once to whoever picks it up", async () => {
      const key = await create();
      expect(key).toMatchObject({
        autoRotate: true,
        rotationInterval: "2h",
        rotationGraceSeconds: 3600,
        nextRotationAt: new Date(clock.nowMs() + 2 * HOUR_MS).toISOString(),
        lastRotationAt: null,
        rotationCount: 0,
        newValueSince: null,
      });
      clock.step(2 * HOUR_MS - 1);
      await app.service.rotateKeys();
      expect(await show(key)).toMatchObject({ rotationCount: 0 });
      expect((await pickUp(key)).status).toBe(409);

      clock.step(1);
      await app.service.rotateKeys();
      const now = new Date(clock.nowMs()).toISOString();
      const rotated = await show(key);
      expect(rotated).toMatchObject({
        rotationCount: 1,
        lastRotationAt: now,
        newValueSince: now,
        nextRotationAt: new Date(clock.nowMs() + 2 * HOUR_MS).toISOString(),
        previousValidUntil: new Date(clock.nowMs() + HOUR_MS).toISOString(),
      });
      expect(rotated.maskedToken).not.toBe(key.maskedToken);
      expect(await chat(key.key)).toBe(200);

      const picked = await pickUp(key);
      expect(picked.status).toBe(200);
      expect(picked.body).toMatchObject({ id: key.id, maskedToken: rotated.maskedToken, newValueSince: null });
      expect(picked.body.key).not.toBe(key.key);
      expect(await chat(picked.body.key)).toBe(200);
      expect((await pickUp(key)).status).toBe(409);

      clock.step(HOUR_MS + MINUTE_MS);
      expect([await chat(key.key), await chat(picked.body.key)]).toEqual([401, 200]);
      const rows = await audited(key.id);
      expect(rows.map(({ action, actor }) => `${action} ${actor}`)).toEqual([
        "api_key.create user",
        "api_key.rotate system",
        "api_key.pick_up user",
      ]);
      expect(rows[1]?.details).toMatchObject({ scheduled: true, teamId, owner: owner.id });
      expect(JSON.stringify(rows)).not.toContain(picked.body.key);
    });

    test("of many processes that look at the same time one rotates, and each time once", async () => {
      const keys = [await create(), await create()];
      clock.step(2 * HOUR_MS);
      const others = Array.from({ length: 5 }, elsewhere);
      await Promise.all([app.service.rotateKeys(), ...others.map((one) => one.tick())]);
      for (const key of keys) {
        expect(await show(key)).toMatchObject({ rotationCount: 1 });
        expect((await audited(key.id)).filter(({ action }) => action === "api_key.rotate")).toHaveLength(1);
        const picked = await Promise.all([pickUp(key), pickUp(key), pickUp(key)]);
        expect(picked.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
        expect(await chat(picked.find(({ status }) => status === 200)?.body.key ?? "")).toBe(200);
      }
    });

    test("keys that can never be rotated hold no other back, however many they are", async () => {
      // What nobody can set, but a row may have.
      const broken = { rotationInterval: "soon", rotationAt: clock.nowMs() };
      const stuck = Array.from({ length: 150 }, () => newKey(teamId, broken));
      for (const key of stuck) await app.storage.accounts.keys.insert(key);
      const key = await create();
      clock.step(2 * HOUR_MS);
      await app.service.rotateKeys();
      expect(await show(key)).toMatchObject({ rotationCount: 1 });
      const failed = app.logged.filter((line) => line.includes("a key could not be rotated"));
      for (const { id } of stuck) expect(failed.filter((line) => line.includes(id))).toHaveLength(1);
      for (const { id } of stuck) await app.storage.accounts.keys.remove(id);
    });

    test("times that were missed are made up for by one rotation, and what another process has made can be picked up here", async () => {
      const key = await create({ ...EVERY_2H, rotationInterval: "1h" });
      clock.step(10 * HOUR_MS);
      await elsewhere().tick();
      await elsewhere().tick();
      expect(await show(key)).toMatchObject({
        rotationCount: 1,
        nextRotationAt: new Date(clock.nowMs() + HOUR_MS).toISOString(),
      });
      expect(await chat((await pickUp(key)).body.key)).toBe(200);
    });

    test("a value that nobody picks up ends unseen, and the one in use is not kept alive by it", async () => {
      const key = await create({ ...EVERY_2H, rotationGraceSeconds: 7200 });
      clock.step(2 * HOUR_MS);
      await app.service.rotateKeys();
      const { sealed } = await app.storage.accounts.keys.takeUnseen(key.id).then(async (taken) => ({
        sealed: taken,
        kept: await app.storage.accounts.keys.keepUnseen(key.id, taken ?? ""),
      }));
      expect(sealed).toStartWith("v1.");
      clock.step(2 * HOUR_MS);
      await app.service.rotateKeys();
      expect(await show(key)).toMatchObject({ rotationCount: 2, previousValidUntil: null });
      expect(await chat(key.key)).toBe(401);
      expect(await chat((await pickUp(key)).body.key)).toBe(200);
    });

    test("rotating by hand begins the schedule anew, and keeps the value that programs have going", async () => {
      const key = await create();
      clock.step(2 * HOUR_MS);
      await app.service.rotateKeys();
      clock.step(10 * MINUTE_MS);
      const byHand = (await owner.send("POST", `/api/gw/api-keys/${key.id}/rotate`, { graceSeconds: 7200 }))
        .body as Answer;
      expect(byHand).toMatchObject({
        rotationCount: 2,
        newValueSince: null,
        nextRotationAt: new Date(clock.nowMs() + 2 * HOUR_MS).toISOString(),
      });
      expect((await pickUp(key)).status).toBe(409);
      clock.step(HOUR_MS);
      expect([await chat(key.key), await chat(byHand.key)]).toEqual([200, 200]);
      clock.step(HOUR_MS);
      expect([await chat(key.key), await chat(byHand.key)]).toEqual([401, 200]);
    });

    test("keys that are off or over are left alone, as are those whose rotation was ended", async () => {
      const off = await create();
      await owner.send("POST", `/api/gw/api-keys/${off.id}/disable`);
      const over = await create({ ...EVERY_2H, expiresAt: new Date(clock.nowMs() + HOUR_MS).toISOString() });
      const ended = await create();
      const answer = await owner.send("PATCH", `/api/gw/api-keys/${ended.id}`, { auto_rotate: false });
      expect(answer.body as Answer).toMatchObject({ autoRotate: false, rotationInterval: null, nextRotationAt: null });
      clock.step(3 * HOUR_MS);
      await app.service.rotateKeys();
      for (const key of [off, over, ended]) expect(await show(key)).toMatchObject({ rotationCount: 0 });
      await owner.send("POST", `/api/gw/api-keys/${off.id}/enable`);
      await app.service.rotateKeys();
      expect(await show(off)).toMatchObject({ rotationCount: 1 });
    });

    test("the maker is mailed and webhooks are told that a value is ready, without the value", async () => {
      const address = { url: "http://127.0.0.1:9/hook", events: ["key.rotated"] };
      const endpoint = (await owner.send("POST", "/api/webhook-endpoints", address)).body as Answer;
      const key = await create({ ...EVERY_2H, name: "Told of" });
      clock.step(2 * HOUR_MS);
      await app.service.rotateKeys();
      const until = new Date(clock.nowMs() + HOUR_MS).toISOString();
      const { rows } = await app.storage.billing.deliveries.list(endpoint.id, { page: 1, pageSize: 100 });
      const told = rows.map(({ payload }) => payload).filter((payload) => payload.includes(key.id));
      expect(told.map((payload) => JSON.parse(payload))).toMatchObject([
        { type: "key.rotated", data: { keyId: key.id, name: "Told of", scheduled: true, previousValidUntil: until } },
      ]);
      await app.service.outbox.deliverDue();
      const letters = smtp.received.filter(({ to, raw }) => to.includes(owner.email) && raw.includes(key.id));
      expect(letters).toHaveLength(1);
      const [letter] = letters;
      expect(letter?.raw).toContain("A key has a new value");
      expect(letter?.text).toContain(`turnpike keys pick-up ${key.id}`);
      const { body } = await pickUp(key);
      for (const text of [...told, letter?.raw ?? "", ...app.logged]) expect(text).not.toContain(body.key.slice(0, 20));
    });

    test("a value that ends while its successor waits is told once more, halfway, and not to who has picked it up", async () => {
      const address = { url: "http://127.0.0.1:9/hook", events: ["key.expiring"] };
      const endpoint = (await owner.send("POST", "/api/webhook-endpoints", address)).body as Answer;
      const [late, early] = [await create(), await create()];
      clock.step(2 * HOUR_MS);
      await app.service.rotateKeys();
      await pickUp(early);
      const look = () => app.storage.billing.notices.tellOfExpiring(clock.nowMs(), clock.nowMs());
      const told = async () =>
        (await app.storage.billing.deliveries.list(endpoint.id, { page: 1, pageSize: 100 })).rows.map(
          ({ payload }) => JSON.parse(payload).data,
        );
      clock.step(29 * MINUTE_MS);
      await look();
      expect(await told()).toEqual([]);
      clock.step(MINUTE_MS);
      await Promise.all([look(), look()]);
      const { newValueSince, previousValidUntil: expiresAt } = await show(late);
      expect(await told()).toMatchObject([{ keyId: late.id, newValueSince, expiresAt }]);
      await app.service.outbox.deliverDue();
      const letters = smtp.received.filter(
        ({ to, raw }) => to.includes(owner.email) && raw.includes("is about to end"),
      );
      expect(letters.map(({ text }) => text.includes(`turnpike keys pick-up ${late.id}`))).toEqual([true]);
    });

    test("only whoever may rotate a key picks its value up", async () => {
      const { organizationMembers, teamMembers } = app.storage.accounts;
      const [member, viewer, admin, stranger] = [
        await newPerson(app),
        await newPerson(app),
        await newPerson(app),
        await newPerson(app),
      ];
      const at = { organizationId: owner.ownId, joinedAt: clock.nowMs() };
      for (const [who, role] of [
        [member, "member"],
        [viewer, "viewer"],
        [admin, "admin"],
      ] as const) {
        await organizationMembers.insert({ ...at, userId: who.id, role });
        await teamMembers.insert({ teamId, userId: who.id, role: "member", joinedAt: clock.nowMs() });
      }
      const key = await create();
      clock.step(2 * HOUR_MS);
      await app.service.rotateKeys();
      expect((await pickUp(key, member)).status).toBe(403);
      expect((await pickUp(key, viewer)).status).toBe(403);
      expect((await pickUp(key, stranger)).status).toBe(404);
      // Whoever has the old value gets nothing by it: else a stolen key would survive its rotation.
      expect((await app.call("/key/pick_up", { key: key.key, json: { key: key.key } })).status).toBe(403);
      expect((await pickUp(key, admin)).status).toBe(200);
    });

    test("scripts set it and pick values up in their own names", async () => {
      const { post, get } = errorFormat(app, MASTER_KEY);
      const made = await post("/key/generate", {
        key_alias: "rotating",
        auto_rotate: true,
        rotation_interval: "1d",
        rotation_grace_period: "2h",
      });
      expect(made.body).toMatchObject({
        auto_rotate: true,
        rotation_interval: "1d",
        rotation_grace_period: "7200s",
        rotation_count: 0,
        last_rotation_at: null,
        key_rotation_at: new Date(clock.nowMs() + 24 * HOUR_MS).toISOString(),
        new_key_since: null,
      });
      const changed = await post("/key/update", {
        key: made.body.key,
        rotation_interval: "1h",
        rotation_grace_period: null,
      });
      expect(changed.body).toMatchObject({ rotation_interval: "1h", rotation_grace_period: "3600s" });
      clock.step(HOUR_MS);
      await app.service.rotateKeys();
      const { key: token, info } = (await get(`/key/info?key=${made.body.key}`)).body;
      const now = new Date(clock.nowMs()).toISOString();
      expect(info).toMatchObject({ rotation_count: 1, last_rotation_at: now, new_key_since: now });
      const picked = await post("/key/pick_up", { key: made.body.key });
      expect(picked).toMatchObject({ status: 200, body: { token, token_id: token } });
      expect([await chat(made.body.key), await chat(picked.body.key)]).toEqual([200, 200]);
      expect((await post("/key/pick_up", { key: picked.body.key })).status).toBe(409);
      const ended = await post("/key/update", { key: picked.body.key, rotation_interval: null });
      expect(ended.body).toMatchObject({ auto_rotate: false, key_rotation_at: null });
    });

    test.each([
      [{ auto_rotate: true }, "rotation_interval: `auto_rotate` needs it"],
      [{ rotation_interval: "30d" }, "rotation_interval: it needs `auto_rotate`"],
      [{ auto_rotate: false, rotation_interval: "30d" }, "rotation_interval: it needs `auto_rotate`"],
      [{ rotation_grace_period: "1d" }, "rotation_grace_period: it needs `auto_rotate`"],
      [{ auto_rotate: true, rotation_interval: "soon" }, "rotation_interval: use a number and a unit"],
      [{ auto_rotate: true, rotation_interval: "59m" }, "rotation_interval: an hour at least"],
      [{ auto_rotate: true, rotation_interval: "999999mo" }, "rotation_interval: an hour at least, ten years at most"],
      [
        { auto_rotate: true, rotation_interval: "1h", rotation_grace_period: "2h" },
        "rotation_grace_period: it is longer",
      ],
      [{ auto_rotate: true, rotation_interval: "1h", rotation_grace_period: "5s" }, "rotation_grace_period: a minute"],
      [
        { auto_rotate: true, rotation_interval: "30d", rotation_grace_period: "8d" },
        "rotation_grace_period: seven days",
      ],
    ])("%j is refused", async (json, message) => {
      const { status, body } = await errorFormat(app, MASTER_KEY).post("/key/generate", json);
      expect({ status, message: body.error.message }).toEqual({
        status: 400,
        message: expect.stringContaining(message),
      });
    });

    test("a change of something else leaves the schedule, another interval begins it anew", async () => {
      const key = await create();
      clock.step(HOUR_MS);
      const patch = async (json: object) =>
        (await owner.send("PATCH", `/api/gw/api-keys/${key.id}`, json)).body as Answer;
      const before = key.nextRotationAt;
      expect(await patch({ rpmLimit: 5, rotationInterval: "2h" })).toMatchObject({ nextRotationAt: before });
      expect(await patch({ rotation_grace_seconds: 120 })).toMatchObject({ nextRotationAt: before });
      expect(await patch({ rotation_interval: "3h" })).toMatchObject({
        nextRotationAt: new Date(clock.nowMs() + 3 * HOUR_MS).toISOString(),
        rotationGraceSeconds: 120,
      });
    });

    test("what waits goes with its key", async () => {
      const key = await create();
      clock.step(2 * HOUR_MS);
      await app.service.rotateKeys();
      await owner.send("DELETE", `/api/gw/api-keys/${key.id}`);
      expect(await app.storage.accounts.keys.takeUnseen(key.id)).toBeNull();
    });
  });
}
