import { afterAll, describe, expect, test } from "bun:test";
import { readCaseFiles } from "./case-file.ts";
import { type Answer, speak } from "./client.ts";
import { findRuntimes, type Started, startModel } from "./participants.ts";

const { runtimes, remove } = await findRuntimes();
afterAll(remove);

/** What the first participant answered to a case; every other one has to answer the same bytes. */
const answered = new Map<string, Answer[]>();
/** What differs by nature: who answers, and how many trainings it has seen. */
const OWN_WORDS = new Set(["info", "info names them", "info says so"]);

for (const file of readCaseFiles(import.meta.dir)) {
  for (const runtime of runtimes) {
    describe(`${runtime.name}: ${file.about}`, () => {
      let started: Promise<Started> | null = null;
      const participant = () => {
        started ??= startModel(runtime, file.participant);
        return started;
      };
      afterAll(async () => (await started)?.stop());

      for (const spoken of file.cases) {
        test(spoken.name, async () => {
          const answers = await speak((await participant()).url, spoken);
          const name = `${file.file}: ${spoken.name}`;
          const others = answered.get(name);
          if (others === undefined) answered.set(name, answers);
          else if (!OWN_WORDS.has(spoken.name) && spoken.steps === undefined) {
            expect(answers.map(comparable)).toEqual(others.map(comparable));
          }
        });
      }
    });
  }
}

function comparable({ status, bytes }: Answer) {
  return { status, body: Buffer.from(bytes).toString("base64") };
}
