import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { startAppOn } from "../accounts/people.ts";
import { isOver, personWith, startRun, until } from "./hosted.ts";
import { startSmall } from "./small-participants.ts";

const MORE_THAN_THERE_IS = 1_000_000_000;

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
