import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, startTurnpike } from "../process.ts";
import { childrenOf } from "../worker-pids.ts";

test("a server outlives a worker that is killed while others start", async () => {
  const folder = newFolder();
  writeFileSync(join(folder.path, "turnpike.yaml"), "general_settings: { workers: 3, max_event_loop_delay: 0 }\n");
  // The banner is printed when the first worker serves: the others are still starting.
  const turnpike = await startTurnpike(folder.path);
  try {
    expect((await fetch(`${turnpike.url}/health/readiness`)).status).toBe(200);
    expect(turnpike.output()).not.toContain("all workers serve");
    process.kill(childrenOf(turnpike.pid).at(-1) ?? 0, "SIGKILL");
    await turnpike.waitFor(/a worker ended and is started again/);
    await turnpike.waitFor(/all workers serve/);
    expect((await fetch(`${turnpike.url}/health/readiness`)).status).toBe(200);
    turnpike.kill("SIGTERM");
    expect(await turnpike.exited).toBe(0);
  } finally {
    turnpike.kill("SIGKILL");
    await turnpike.exited;
    folder.remove();
  }
}, 120_000);
