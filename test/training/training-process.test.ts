import { expect, test } from "bun:test";
import { join } from "node:path";
import { spawnTraining } from "../../src/start/training-process.ts";
import type { ToHost } from "../../src/training/hosting/job.ts";
import { newFolder } from "../e2e/process.ts";

test("the process of a run answers while it waits for a participant, so that one that is stuck can be told from it", async () => {
  const folder = newFolder();
  const asked = Promise.withResolvers<void>();
  const silent = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      asked.resolve();
      return new Promise<never>(() => undefined);
    },
  });
  const heard = Promise.withResolvers<ToHost>();
  const job = {
    ...{ runId: "r", folder: join(folder.path, "r"), hasInitial: false, roundsDone: 0, allowPrivate: true },
    plan: { name: "r", rounds: 1, participants: [{ id: "north" }] },
    participants: [{ name: "north", url: `http://127.0.0.1:${silent.port}`, token: null }],
    ...{ keepFreeMb: 0, leaseMs: 60_000 },
  };
  const process = spawnTraining(job, heard.resolve);
  try {
    await asked.promise;
    process.held();
    expect(await heard.promise).toEqual({ kind: "here" });
  } finally {
    process.kill();
    await process.exited;
    await silent.stop(true);
    folder.remove();
  }
});
