import { expect, test } from "bun:test";
import { startAppOn } from "../accounts/people.ts";
import { ALLOWED, personWith, RUNS, startRun } from "./hosted.ts";
import { newRound } from "./new-run.ts";

const ROUNDS = 500;

test("the report of a long run has every round, and is made and sent in pieces while calls go on", async () => {
  const app = await startAppOn("sqlite", ALLOWED);
  try {
    const person = await personWith(app, [{ id: "north", url: "http://127.0.0.1:5000" }]);
    const { id } = await startRun(person, { rounds: ROUNDS, participants: ["north"] });
    await app.storage.training.transaction(async (tx) => {
      for (let round = 1; round <= ROUNDS; round++) {
        const data = { ...newRound(round), accuracy: round / ROUNDS };
        await tx.events.insert({ runId: id, number: round + 1, at: 0, kind: "round", round, data });
      }
      await tx.runs.change(id, (run) => ({ ...run, roundsDone: ROUNDS, eventsMade: ROUNDS + 1 }));
    });
    const report = await app.call(`${RUNS}/${id}/report`, { key: person.token });
    let pieces = 0;
    let text = "";
    for await (const piece of report.body ?? []) {
      pieces++;
      text += Buffer.from(piece).toString();
    }
    expect(pieces).toBeGreaterThan(10);
    const rows = [...text.matchAll(/<tr><td>(\d+)<\/td>/g)].map(([, round]) => Number(round));
    expect(rows).toEqual(Array.from({ length: ROUNDS }, (_, at) => at + 1));
    expect(text).toContain(`${ROUNDS} of ${ROUNDS} rounds`);
    expect(text).toContain("Accuracy at the end: 1.0000.");
    expect(text.match(/<polyline[^>]*points="([^"]*)"/)?.[1]?.split(" ")).toHaveLength(ROUNDS);
    expect(text).toEndWith("</table></div></html>\n");
    await person.send("POST", `${RUNS}/${id}/cancel`);
  } finally {
    await app.close();
  }
}, 60_000);
