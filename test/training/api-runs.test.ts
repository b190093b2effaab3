import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startAppOn } from "../accounts/people.ts";
import type { TestApp } from "../app.ts";
import { DATABASES } from "../storage/databases.ts";
import { ALLOWED, isOver, personWith, RUNS, runOf, startRun, until } from "./hosted.ts";
import { newParticipant, newRun } from "./new-run.ts";
import { modelOf, type Small, startSmall, valuesOf } from "./small-participants.ts";

const SLOW_MS = 60_000;
const base64Of = (...values: number[]) => Buffer.from(new Float32Array(values).buffer).toString("base64");

for (const { kind, missing } of DATABASES) {
  describe.skipIf(missing)(`runs on ${kind}`, () => {
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
    const names = ["north", "south"];

    test(
      "are carried out to the same bytes as on the command line, and every round is told, kept and audited with its hashes",
      async () => {
        const person = await personWith(app, participants);
        const plan = "name: weather\nrounds: 3\nparticipants: [north, south]\n";
        const made = await startRun(person, plan, { initialModel: Buffer.from(modelOf([1, 2, 3])).toString("base64") });
        expect(made).toMatchObject({ status: "queued", name: "weather", strategy: "fedavg", rounds: 3, roundsDone: 0 });
        expect((await person.send("DELETE", `${RUNS}/${made.id}`)).status).toBe(409);
        const done = await until(app, person, made.id, isOver);
        expect(done).toMatchObject({ status: "completed", reason: null, roundsDone: 3, participants: names });

        const rounds = await person.send("GET", `${RUNS}/${made.id}/rounds?order=asc`);
        const { data } = rounds.body as {
          data: { modelIn: string; modelOut: string; replies: { sha256: string }[] }[];
        };
        expect(data.map(({ modelIn }) => modelIn)).toEqual([
          createHash("sha256")
            .update(modelOf([1, 2, 3]))
            .digest("hex"),
          data[0]?.modelOut ?? "",
          data[1]?.modelOut ?? "",
        ]);
        expect(JSON.stringify(data)).not.toContain("stateOut");

        let values = [1, 2, 3];
        const own = (at: number) =>
          values.map((value, place) => Math.fround(value + 0.3 * (Math.sin(at * 7 + place) * 5 - value)));
        for (let round = 0; round < 3; round++) {
          const [a, b] = [own(0), own(1)];
          values = values.map((_, place) => Math.fround(((a[place] ?? 0) + 2 * (b[place] ?? 0)) / 3));
        }
        const model = await app.call(`${RUNS}/${made.id}/model`, { key: person.token });
        const bytes = await model.bytes();
        expect(valuesOf(bytes)).toEqual(values);
        expect(model.headers.get("etag")).toBe(`"${createHash("sha256").update(bytes).digest("hex")}"`);
        expect(model.headers.get("content-disposition")).toBe('attachment; filename="weather-round-3.safetensors"');
        const digest = `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;
        expect([model.headers.get("content-digest"), model.headers.get("repr-digest")]).toEqual([digest, digest]);
        const asking = (headers: Record<string, string>) =>
          app.call(`${RUNS}/${made.id}/model`, { headers: { authorization: `Bearer ${person.token}`, ...headers } });
        const part = await asking({ range: "bytes=0-9" });
        expect([part.headers.get("content-digest"), part.headers.get("repr-digest")]).toEqual([null, digest]);
        const etag = model.headers.get("etag") ?? "";
        expect((await asking({ "if-none-match": `"other", W/${etag}` })).status).toBe(304);
        expect((await asking({ "if-none-match": '"other"' })).status).toBe(200);
        const first = await app.call(`${RUNS}/${made.id}/model?round=1`, { key: person.token });
        expect(first.headers.get("etag")).toBe(`"${data[0]?.modelOut}"`);
        expect((await app.call(`${RUNS}/${made.id}/model?round=4`, { key: person.token })).status).toBe(404);

        const report = await app.call(`${RUNS}/${made.id}/report`, { key: person.token });
        expect(report.headers.get("content-security-policy")).toContain("default-src 'none'");
        expect(await report.text()).toContain("3 of 3 rounds");

        const all = await (await app.call(`${RUNS}/${made.id}/events`, { key: person.token })).text();
        const ids = [...all.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
        expect(ids).toEqual([1, 2, 3, 4, 5, 6]);
        expect([...all.matchAll(/^event: (\w+)$/gm)].map(([, event]) => event)).toEqual([
          "status",
          "status",
          "round",
          "round",
          "round",
          "status",
        ]);
        const rest = await app.call(`${RUNS}/${made.id}/events`, {
          key: person.token,
          headers: { "last-event-id": "4" },
        });
        expect(await rest.text()).toBe(all.slice(all.indexOf("id: 5\n")));

        const { rows } = await app.storage.accounts.audit.list(
          { organizationId: person.ownId },
          { page: 1, pageSize: 99 },
        );
        const audited = rows.filter(({ action }) => action === "training_run.round").map(({ details }) => details);
        expect(audited).toHaveLength(3);
        const second = audited.find(({ round }) => round === 2);
        expect(second).toMatchObject({
          name: "weather",
          modelIn: data[1]?.modelIn,
          modelOut: data[1]?.modelOut,
          replies: [
            { participant: "north", sha256: data[1]?.replies[0]?.sha256, counted: true },
            { participant: "south", sha256: data[1]?.replies[1]?.sha256, counted: true },
          ],
        });
        expect(rows.map(({ action }) => action)).toContain("training_run.complete");

        expect((await person.send("DELETE", `${RUNS}/${made.id}`)).status).toBe(200);
        expect((await person.send("GET", `${RUNS}/${made.id}`)).status).toBe(404);
        expect(await app.storage.training.events.listAfter(made.id, 0, 10)).toEqual([]);
      },
      SLOW_MS,
    );

    test(
      "pause below their quorum with the reason, and go on when the others are back",
      async () => {
        let broken = true;
        const moody = await startSmall("moody", 2, () => {
          if (broken) throw new Error("not today");
          return { parameters: modelOf([1, 1, 1]), numExamples: 1 };
        });
        try {
          const person = await personWith(app, [...participants, moody]);
          const { id } = await startRun(person, { participants: ["north", "moody"], rounds: 1, retries: 0 });
          const paused = await until(app, person, id, isOver);
          expect(paused.status).toBe("paused");
          expect(paused.reason).toContain("round 1 did not reach its quorum of 2 (moody: it answered 500");
          const calls = participants[0]?.calls.count;
          broken = false;
          expect((await person.send("POST", `${RUNS}/${id}/resume`)).body).toMatchObject({ status: "queued" });
          expect((await until(app, person, id, isOver)).status).toBe("completed");
          // What had been answered is not asked for again.
          expect(participants[0]?.calls.count).toBe(calls);
        } finally {
          await moody.stop();
        }
      },
      SLOW_MS,
    );

    test(
      "whose plans hold names that are refused by now are read and gone on with as before",
      async () => {
        const person = await personWith(app, participants);
        const plan = {
          name: 7,
          rounds: 1,
          participants: names.map((id) => ({ id })),
          evaluation: { every: 1, each: 2 },
          compression: { top_k: 1, share: 1 },
        };
        const { id } = newRun(person.ownId);
        await app.storage.training.runs.insert(newRun(person.ownId, { id, plan, rounds: 1, status: "paused" }));
        const report = await app.call(`${RUNS}/${id}/report`, { key: person.token });
        expect([report.status, await report.text()]).toEqual([200, expect.stringContaining("0 of 1 rounds")]);
        expect((await person.send("POST", `${RUNS}/${id}/resume`)).status).toBe(200);
        expect(await until(app, person, id, isOver)).toMatchObject({ status: "completed", reason: null });
        expect((await person.send("POST", RUNS, { plan })).body).toMatchObject({
          error: expect.stringMatching(/`compression\.share`.*`evaluation\.each`.*name is not a text/),
        });
      },
      SLOW_MS,
    );

    test(
      "are paused, resumed and cancelled by hand, in any state that allows it, and watched meanwhile",
      async () => {
        let release: () => void = () => undefined;
        let asked = 0;
        const slow = await startSmall("slow", 0, async () => {
          asked++;
          if (asked === 2) await new Promise<void>((resolve) => (release = resolve));
          return { parameters: modelOf([asked, 0, 0]), numExamples: 1 };
        });
        try {
          const person = await personWith(app, [slow]);
          const { id } = await startRun(person, { participants: ["slow"], rounds: 3 });
          const stream = await app.call(`${RUNS}/${id}/events`, { key: person.token });
          const told = stream.text();
          await until(app, person, id, () => asked === 2);
          const paused = await person.send("POST", `${RUNS}/${id}/pause`);
          expect(paused.body).toMatchObject({ status: "paused", reason: expect.stringContaining(" paused it") });
          expect((await person.send("POST", `${RUNS}/${id}/pause`)).status).toBe(409);
          expect((await app.storage.training.runs.find(id))?.leaseOwner).toBeNull();
          release();
          expect((await person.send("DELETE", `${RUNS}/${id}`)).status).toBe(409);
          expect((await person.send("POST", `${RUNS}/${id}/resume`)).status).toBe(200);
          expect((await person.send("POST", `${RUNS}/${id}/cancel`)).body).toMatchObject({ status: "cancelled" });
          expect((await person.send("POST", `${RUNS}/${id}/resume`)).status).toBe(409);
          expect(await runOf(person, id)).toMatchObject({ status: "cancelled", roundsDone: 1 });
          const text = await told;
          expect([...text.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status)).toEqual([
            "queued",
            "running",
            "paused",
            "queued",
            "cancelled",
          ]);
          expect((await person.send("DELETE", `${RUNS}/${id}`)).status).toBe(200);
        } finally {
          release();
          await slow.stop();
        }
      },
      SLOW_MS,
    );
  });
}

test(
  "of updates that are masked the server keeps and audits nothing but the sum",
  async () => {
    const app = await startAppOn("sqlite", ALLOWED);
    const started = await Promise.all(["a", "b", "c"].map((id, at) => startSmall(id, at)));
    try {
      const person = await personWith(app, started);
      const plan = { participants: ["a", "b", "c"], rounds: 2, secure_aggregation: {}, max_examples: 10 };
      const initialModel = Buffer.from(modelOf([0, 0, 0])).toString("base64");
      const { id } = await startRun(person, plan, { initialModel });
      const done = await until(app, person, id, isOver);
      expect([done.status, done.reason]).toEqual(["completed", null]);
      const { body } = await person.send("GET", `${RUNS}/${id}/rounds`);
      const { data } = body as { data: { secure: object; cosine: null; replies: { numExamples: null }[] }[] };
      expect(data).toHaveLength(2);
      expect(data[0]).toMatchObject({ secure: { asked: 3 }, cosine: null });
      expect(data.flatMap(({ replies }) => replies.map(({ numExamples }) => numExamples))).toEqual(Array(6).fill(null));
      const report = await app.call(`${RUNS}/${id}/report`, { key: person.token });
      expect(await report.text()).toContain("Secure aggregation");
    } finally {
      await app.close();
      await Promise.all(started.map((one) => one.stop()));
    }
  },
  SLOW_MS,
);

describe("plans that are sent", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startAppOn("sqlite", ALLOWED);
  }, SLOW_MS);
  afterAll(() => app.close());

  test("are refused with every fault in words, and leave nothing behind", async () => {
    const person = await personWith(app, [{ id: "north", url: "http://127.0.0.1:1" }]);
    const refusal = async (plan: unknown, more: object = {}) => {
      const { status, body } = await person.send("POST", RUNS, { plan, ...more });
      expect([400, 422]).toContain(status);
      return (body as { error: string }).error;
    };
    const good = { participants: ["north"], rounds: 1 };
    expect(await refusal("a: [")).toContain("plan: it is no YAML");
    expect(await refusal("just words")).toContain("it is not a set of fields");
    expect(await refusal({ ...good, participants: ["east"] })).toContain("there is no participant east; register it");
    expect(await refusal({ ...good, initial: "/etc/passwd" })).toContain(
      "initial names a file, which is not read here",
    );
    expect(await refusal({ ...good, participants: [{ id: "north", url: "http://127.0.0.1:9" }] })).toContain(
      "participants[0].url is not taken here; north has to be registered",
    );
    expect(await refusal({ ...good, participants: ["../x"] })).toContain("participants[0] is not the name");
    const many = await refusal({ participants: ["north"], rounds: 0, quorum: 3, strategy: "best", retries: 99 });
    for (const words of ["rounds is not", "quorum of 3 cannot", "there is no strategy best", "retries may be 20"])
      expect(many).toContain(words);
    expect(await refusal({ ...good, rounds: 10_001 })).toContain("rounds may be 10000 at most");
    expect(await refusal({ ...good, name: "" })).toContain("name is not a text of 1 to 100 characters");
    expect(await refusal({ ...good, config: { text: "x".repeat(300_000) } })).toContain("longer than 256 KiB");
    expect(await refusal(good, { initialModel: "***" })).toContain("initialModel: it is not base64");
    expect(await refusal(good, { initialModel: "AAAA" })).toContain("initialModel: ");
    const secure = { secure_aggregation: { deadline_seconds: 1e9 }, max_examples: 1 };
    const initialModel = Buffer.from(modelOf([1, 2, 3])).toString("base64");
    expect(await refusal({ participants: ["a", "b", "c"], ...secure }, { initialModel })).toContain(
      "secure_aggregation.deadline_seconds may be 86400 at most",
    );
    const bare = { ...good, format: "f32le", shape: [2] };
    expect(await refusal(bare, { initialModel: base64Of(1, 2, 3) })).toContain("initialModel: ");
    expect(await refusal(bare, { initialModel: base64Of(1, Number.NaN) })).toContain("numbers are finite");
    const asked = { ...good, format: "f32le" };
    expect(await refusal(asked, { initialModel: base64Of(Number.NaN) })).toContain("numbers are finite");
    expect(await refusal(asked, { initialModel: "AAAA" })).toContain("initialModel: ");
    expect((await person.send("GET", RUNS)).body).toMatchObject({ data: [], meta: { total: 0 } });
  });

  test("may begin with bare floats, of the shape that they name or that participants will be asked for", async () => {
    const person = await personWith(app, [{ id: "north", url: "http://127.0.0.1:1" }]);
    const plan = { participants: ["north"], rounds: 1, format: "f32le" };
    for (const more of [{ shape: [2, 1] }, {}])
      expect(await startRun(person, { ...plan, ...more }, { initialModel: base64Of(1, 2) })).toMatchObject({
        status: "queued",
      });
  });

  test("a participant that a run still asks is not removed, and the limit it was registered with goes into the plan", async () => {
    const person = await personWith(app, []);
    const made = await person.send("POST", "/api/training/participants", {
      name: "north",
      url: "http://127.0.0.1:1",
      maxExamples: 7,
    });
    const { id } = made.body as { id: string };
    const run = await startRun(person, { participants: ["north"] });
    expect(run).toMatchObject({ plan: { participants: [{ id: "north", max_examples: 7 }] } });
    const refused = await person.send("DELETE", `/api/training/participants/${id}`);
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ error: expect.stringContaining("still asks north") }),
    ]);
    await person.send("POST", `${RUNS}/${run.id}/cancel`);
    expect((await person.send("DELETE", `/api/training/participants/${id}`)).status).toBe(200);
  });
});

test("there are only so many participants and open runs, and folders of runs that are gone are removed", async () => {
  const app = await startAppOn("sqlite", ALLOWED);
  try {
    const person = await personWith(app, [{ id: "north", url: "http://127.0.0.1:1" }]);
    const { participants, runs } = app.storage.training;
    for (let at = 1; at < 200; at++) await participants.insert(newParticipant(person.ownId, { name: `p${at}` }));
    const last = await person.send("POST", "/api/training/participants", {
      name: "last",
      url: "https://a.example.com",
    });
    expect([last.status, last.body]).toEqual([409, expect.objectContaining({ error: expect.stringContaining("200") })]);
    const initialModel = Buffer.from(modelOf([0, 0, 0])).toString("base64");
    const kept = await startRun(person, { participants: ["north"] }, { initialModel });
    const gone = await startRun(person, { participants: ["north"] }, { initialModel });
    const folderOf = (id: string) => [
      ...new Bun.Glob(`turnpike-app-*/training/${id}`).scanSync({ cwd: tmpdir(), absolute: true, onlyFiles: false }),
    ];
    await runs.remove(gone.id);
    for (const path of [...folderOf(kept.id), ...folderOf(gone.id)]) utimesSync(path, 1, 1);
    await app.service.tidy();
    expect([folderOf(kept.id).length, folderOf(gone.id).length]).toEqual([1, 0]);
    for (let at = 1; at < 20; at++) await startRun(person, { participants: ["north"] });
    const refused = await person.send("POST", RUNS, { plan: { participants: ["north"] } });
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ error: expect.stringContaining("20") }),
    ]);
  } finally {
    await app.close();
  }
});

test("a run's files lie below the data folder and go with it", async () => {
  const app = await startAppOn("sqlite", ALLOWED);
  try {
    const person = await personWith(app, [{ id: "north", url: "http://127.0.0.1:1" }]);
    const initialModel = Buffer.from(modelOf([0, 0, 0])).toString("base64");
    const { id } = await startRun(person, { participants: ["north"] }, { initialModel });
    const [folder = ""] = [
      ...new Bun.Glob(`turnpike-app-*/training/${id}/initial`).scanSync({ cwd: tmpdir(), absolute: true }),
    ];
    expect(existsSync(folder)).toBe(true);
    await person.send("POST", `${RUNS}/${id}/cancel`);
    await person.send("DELETE", `${RUNS}/${id}`);
    expect(existsSync(dirname(folder))).toBe(false);
  } finally {
    await app.close();
  }
});

test(
  "a run whose folder is damaged pauses with the reason, and without saying where the server keeps it",
  async () => {
    const app = await startAppOn("sqlite", ALLOWED);
    try {
      const person = await personWith(app, [{ id: "north", url: "http://127.0.0.1:1" }]);
      const { id } = await startRun(person, { participants: ["north"], retries: 0 });
      expect((await until(app, person, id, isOver)).reason).toContain("did not reach its quorum");
      const [plan = ""] = [
        ...new Bun.Glob(`turnpike-app-*/training/${id}/plan.json`).scanSync({ cwd: tmpdir(), absolute: true }),
      ];
      writeFileSync(join(dirname(plan), "rounds.jsonl"), "garbage\n");
      await person.send("POST", `${RUNS}/${id}/resume`);
      const { reason } = await until(app, person, id, isOver);
      expect(reason).toContain("line 1 of the run's folder/rounds.jsonl is damaged");
    } finally {
      await app.close();
    }
  },
  SLOW_MS,
);
