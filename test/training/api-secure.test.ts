import { afterAll, beforeAll, expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import type { TestApp } from "../app.ts";
import { ALLOWED, isOver, personWith, RUNS, startRun, until } from "./hosted.ts";
import { modelOf, type Small, startSmall } from "./small-participants.ts";

let app: TestApp;
let participants: Small[];
beforeAll(async () => {
  app = await startAppOn("sqlite", ALLOWED);
  participants = await Promise.all(["a", "b", "c", "d"].map((id, at) => startSmall(id, at)));
});
afterAll(async () => {
  await app.close();
  await Promise.all(participants.map((one) => one.stop()));
});

const plan = {
  name: "in secret",
  rounds: 2,
  retries: 0,
  participants: ["a", "b", "c", "d"],
  max_examples: 10,
  evaluation: { participants: 1 },
  secure_aggregation: { threshold: 0.67 },
};
const initialModel = Buffer.from(modelOf([1, 2, 3])).toString("base64");

test("a run of an organization is summed in secret, and its log says so and who dropped out where", async () => {
  const person = await personWith(app, participants);
  await participants[3]?.stop();
  const made = await startRun(person, plan, { initialModel });
  const done = await until(app, person, made.id, isOver);
  expect(done).toMatchObject({ status: "completed", reason: null, roundsDone: 2 });
  const { body } = await person.send("GET", `${RUNS}/${made.id}/rounds?order=asc`);
  const secure = { attempt: 1, threshold: 3, asked: 4, weight: 1 + 2 + 3 };
  expect((body as { data: object[] }).data[0]).toMatchObject({
    secure,
    cosine: null,
    replies: ["a", "b", "c"].map((participant) => ({ participant, numExamples: null, norm: null, counted: true })),
    dropped: [{ participant: "d", phase: "keys" }],
  });
  const { rows } = await app.storage.accounts.audit.list({ organizationId: person.ownId }, { page: 1, pageSize: 99 });
  const audited = rows.filter(({ action }) => action === "training_run.round").map(({ details }) => details);
  expect(audited).toHaveLength(2);
  expect(audited[0]).toMatchObject({ secure, dropped: [{ participant: "d", phase: "keys" }] });
}, 60_000);

test("a plan that needs single updates is refused with the reason", async () => {
  const person = await personWith(app, participants);
  const sent = { plan: { ...plan, strategy: "median" }, initialModel };
  const { status, body } = await person.send("POST", RUNS, sent);
  expect(status).toBe(400);
  expect(JSON.stringify(body)).toContain("median compares updates with each other");
});
