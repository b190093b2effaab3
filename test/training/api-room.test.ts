import { expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAppOn } from "../accounts/people.ts";
import { ALLOWED, isOver, personWith, RUNS, startRun, until } from "./hosted.ts";
import { modelOf, startSmall } from "./small-participants.ts";

const MORE_THAN_THERE_IS = 1_000_000_000;

const CHANCE = "oom_score_adj";
const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
};
/** What the kernel adds to the size of processes that we have started when it looks for one to end. */
const chancesOf = (what: string): string[] =>
  readdirSync("/proc")
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes(what))
    .filter((pid) => read(`/proc/${pid}/status`).includes(`PPid:\t${process.pid}\n`))
    .map((pid) => read(`/proc/${pid}/${CHANCE}`).trim());
/** Some sandboxes do not have it, or do not let it be set. */
const canSet = (): boolean => {
  try {
    writeFileSync(`/proc/self/${CHANCE}`, readFileSync(`/proc/self/${CHANCE}`));
    return true;
  } catch {
    return false;
  }
};

test.skipIf(!canSet())(
  "where memory runs out, the process of a run is the first that the kernel ends",
  async () => {
    const app = await startAppOn("sqlite", ALLOWED);
    let seen: string[] = [];
    const north = await startSmall("north", 0, () => {
      seen = chancesOf("training-worker");
      return modelOf([1, 2, 3]);
    });
    try {
      const person = await personWith(app, [north]);
      const { id } = await startRun(person, { rounds: 1, participants: ["north"] });
      expect(await until(app, person, id, isOver)).toMatchObject({ status: "completed" });
      expect(seen).toEqual(["1000"]);
    } finally {
      await app.close();
      await north.stop();
    }
  },
  60_000,
);

test("a run pauses before it takes the last room of the disk, which calls of models need, and says so", async () => {
  const settings = `{ allow_private_participants: true, keep_free_mb: ${MORE_THAN_THERE_IS} }`;
  const app = await startAppOn("sqlite", `general_settings:\n  training: ${settings}\n`);
  const north = await startSmall("north", 0);
  try {
    const person = await personWith(app, [north]);
    const { id } = await startRun(person, { rounds: 3, participants: ["north"] });
    const { status, reason, roundsDone } = await until(app, person, id, isOver);
    expect({ status, roundsDone }).toEqual({ status: "paused", roundsDone: 0 });
    expect(reason).toBe(
      "the server's disk has less room than it keeps free (general_settings.training.keep_free_mb: 1000000000)",
    );
    expect(readdirSync(join(app.dataDir, "training", id, "spool"))).toEqual([]);
  } finally {
    await app.close();
    await north.stop();
  }
}, 60_000);

test("a model to begin with that would take the last room of the disk is refused, and nothing of it is kept", async () => {
  const settings = `{ allow_private_participants: true, keep_free_mb: ${MORE_THAN_THERE_IS} }`;
  const app = await startAppOn("sqlite", `general_settings:\n  training: ${settings}\n`);
  const north = await startSmall("north", 0);
  try {
    const person = await personWith(app, [north]);
    const initialModel = Buffer.from(modelOf([0, 0, 0])).toString("base64");
    const refused = await person.send("POST", RUNS, { plan: { rounds: 1, participants: ["north"] }, initialModel });
    expect(refused).toMatchObject({
      status: 503,
      body: {
        error:
          "The model cannot be kept: the server's disk has less room than it keeps free (general_settings.training.keep_free_mb: 1000000000).",
      },
    });
    expect(readdirSync(join(app.dataDir, "training"))).toEqual([]);
    expect((await person.send("GET", RUNS)).body).toMatchObject({ meta: { total: 0 } });
  } finally {
    await app.close();
    await north.stop();
  }
}, 60_000);
