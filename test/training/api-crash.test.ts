import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startApp, type TestApp } from "../app.ts";
import { newFolder, startTurnpike, type Turnpike } from "../e2e/process.ts";
import { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";
import { ALLOWED, isOver, personWith, RUNS, type SeenRun, startRun } from "./hosted.ts";
import { type Small, startSmall } from "./small-participants.ts";

const ROUNDS = 8;
const SLOW_MS = 120_000;

describe("a server that is killed while it trains", () => {
  const folder = newFolder();
  let begun: (() => void) | null = null;
  let participants: Small[];
  let turnpike: Turnpike;
  let token = "";
  beforeAll(async () => {
    participants = await Promise.all(["a", "b"].map((id, at) => startSmall(id, at, undefined, () => begun?.())));
    writeFileSync(join(folder.path, "turnpike.yaml"), ALLOWED);
    turnpike = await startTurnpike(folder.path);
    const person = await send<{ token: string }>("POST", "/api/auth/signup", {
      email: "ada@example.com",
      password: "a good long one",
    });
    token = person.token;
    for (const { id, url } of participants) await send("POST", "/api/training/participants", { name: id, url });
  }, SLOW_MS);
  afterAll(async () => {
    turnpike.kill("SIGKILL");
    await turnpike.exited;
    await Promise.all(participants.map((one) => one.stop()));
    folder.remove();
  }, SLOW_MS);

  async function send<T>(method: string, path: string, json?: unknown): Promise<T> {
    const response = await fetch(turnpike.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
  const start = () =>
    send<SeenRun>("POST", RUNS, {
      plan: { participants: ["a", "b"], rounds: ROUNDS, strategy: { name: "fedadam", learning_rate: 0.1 } },
    });
  async function finish(id: string): Promise<{ modelOut: string; round: number }[]> {
    for (;;) {
      const run = await send<SeenRun>("GET", `${RUNS}/${id}`);
      if (run.status === "completed") break;
      if (isOver(run)) throw new Error(`${run.status}: ${run.reason}`);
      await Bun.sleep(100);
    }
    return (await send<{ data: { modelOut: string; round: number }[] }>("GET", `${RUNS}/${id}/rounds?order=asc`)).data;
  }

  test(
    "goes on after its start to the same bytes, and every round is told and audited once",
    async () => {
      const undisturbed = await finish((await start()).id);
      let left = 7;
      const killed = new Promise<void>((resolve) => {
        begun = () => {
          left--;
          if (left > 0) return;
          begun = null;
          turnpike.kill("SIGKILL");
          resolve();
        };
      });
      const { id } = await start();
      await killed;
      await turnpike.exited;
      turnpike = await startTurnpike(folder.path);
      const rounds = await finish(id);
      expect(rounds.map(({ modelOut }) => modelOut)).toEqual(undisturbed.map(({ modelOut }) => modelOut));
      expect(rounds.map(({ round }) => round)).toEqual(Array.from({ length: ROUNDS }, (_, at) => at + 1));
      const { data } = await send<{ data: { id: string }[] }>("GET", "/api/gw/organizations/list");
      const log = await send<{ data: { action: string; targetId: string }[] }>(
        "GET",
        `/api/gw/organizations/${data[0]?.id}/audit-logs?pageSize=100`,
      );
      const audited = log.data.filter(({ action, targetId }) => action === "training_run.round" && targetId === id);
      expect(audited).toHaveLength(ROUNDS);
    },
    SLOW_MS,
  );
});

const postgres = DATABASES.find(({ kind }) => kind === "postgres");
describe.skipIf(postgres?.missing ?? true)("two servers over one database", () => {
  const apps: TestApp[] = [];
  let participant: Small;
  beforeAll(async () => {
    participant = await startSmall("north", 0);
    const database = await migratedUrl("postgres");
    for (let at = 0; at < 2; at++) apps.push(await startApp(ALLOWED, database));
  }, SLOW_MS);
  afterAll(async () => {
    for (const app of apps) await app.close();
    await participant.stop();
  }, SLOW_MS);

  test(
    "carry a run out once, and either tells how it goes",
    async () => {
      const [first, second] = apps as [TestApp, TestApp];
      const person = await personWith(first, [participant]);
      const made = await Promise.all([1, 2, 3].map(() => startRun(person, { participants: ["north"], rounds: 4 })));
      const seen = async (app: TestApp, id: string) =>
        (await (await app.call(`${RUNS}/${id}`, { key: person.token })).json()) as SeenRun;
      for (const { id } of made) {
        while (!isOver(await seen(second, id))) {
          await Promise.all(apps.map(({ service }) => service.training.tick()));
          await Bun.sleep(30);
        }
        expect(await seen(first, id)).toMatchObject({ status: "completed", roundsDone: 4 });
      }
      expect(participant.calls.count).toBe(12);
    },
    SLOW_MS,
  );
});
