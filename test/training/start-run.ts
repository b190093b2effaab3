import { systemClock } from "../../src/lib/clock.ts";
import { Coordinator } from "../../src/training/coordinator/coordinator.ts";
import { readPlan } from "../../src/training/coordinator/plan.ts";
import { type RoundRecord, RunFolder } from "../../src/training/coordinator/run-folder.ts";
import { newFolder } from "../e2e/process.ts";

interface Started {
  readonly id: string;
  readonly url: string;
}

/** Runs of one test file, in folders of their own that are removed with `clean`. */
export function trainingRuns() {
  const remove: Array<() => void> = [];
  return {
    clean: () => {
      for (const one of remove.splice(0)) one();
    },
    /** Begins a run, or goes on with the one in `path`. */
    begin(
      participants: readonly Started[],
      more: Record<string, unknown>,
      {
        path,
        initial = null,
        tell = () => undefined,
      }: {
        path?: string;
        initial?: Uint8Array | null;
        tell?: (record: RoundRecord) => void;
      } = {},
    ) {
      const folder = newFolder();
      remove.push(() => folder.remove());
      const plan = readPlan({
        participants: participants.map(({ id, url }) => ({ id, url })),
        rounds: 3,
        retries: 0,
        ...(initial === null ? {} : { initial: "initial" }),
        ...more,
      });
      const run = new RunFolder(path ?? folder.path);
      const parts = { plan, folder: run, clock: systemClock, tokens: {}, initial, tell };
      return { folder: run, outcome: new Coordinator(parts).run() };
    },
  };
}
