import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { GatewayError } from "../../src/contract/errors.ts";
import { createLogger } from "../../src/lib/log.ts";
import { accountStores } from "../../src/storage/accounts/account-stores.ts";
import { openBackend } from "../../src/storage/open.ts";
import { trainingStores } from "../../src/storage/training/training-stores.ts";
import type { Job, Spawn, ToHost } from "../../src/training/hosting/job.ts";
import { RunExecutor } from "../../src/training/hosting/run-desk.ts";
import { RunFiles } from "../../src/training/hosting/run-files.ts";
import type { TrainingRun } from "../../src/training/records.ts";
import { LEASE_MS, pause } from "../../src/training/run-states.ts";
import type { TrainingStores } from "../../src/training/store.ts";
import { newFolder } from "../e2e/process.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { migratedDatabase } from "../storage/databases.ts";
import { newOrganization, newUser } from "../storage/new-records.ts";
import { newParticipant, newRound, newRun } from "./new-run.ts";

/** A process of a run, as a test plays it. */
interface Played {
  readonly job: Job;
  tell(message: ToHost): void;
  die(): void;
  held: number;
  killed: boolean;
}

const database = await migratedDatabase("sqlite");
const backend = openBackend(database.settings);
const stores = trainingStores(backend.db);
const folder = newFolder();
const clock = new SteppedClock();
let organizationId = "";
beforeAll(async () => {
  const accounts = accountStores(backend.db);
  const organization = newOrganization((await accounts.users.insert(newUser())).id);
  await accounts.organizations.insert(organization);
  organizationId = organization.id;
  await stores.participants.insert(newParticipant(organizationId));
});
afterAll(async () => {
  await backend.close();
  database[Symbol.dispose]();
  folder.remove();
});
beforeEach(async () => {
  await backend.db.deleteFrom("trainingRuns").execute();
});

function newDesk(runsMax = 2, tokenOf = () => "a token", given: TrainingStores = stores) {
  const played: Played[] = [];
  const spawn: Spawn = (job, hear) => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const one: Played = { job, tell: hear, die: () => resolve(137), held: 0, killed: false };
    played.push(one);
    return {
      held: () => void one.held++,
      kill() {
        one.killed = true;
        resolve(137);
      },
      exited: promise,
    };
  };
  const files = new RunFiles(folder.path, 0);
  const log = createLogger("error", () => undefined);
  const deps = {
    stores: given,
    files,
    clock,
    log,
    spawn,
    tokenOf,
    allowPrivate: false,
    keepFreeMb: 0,
    happened: () => undefined,
  };
  return { desk: new RunExecutor(deps, runsMax), played };
}

async function waiting(given: Partial<TrainingRun> = {}): Promise<string> {
  const run = newRun(organizationId, given);
  await stores.runs.insert(run);
  return run.id;
}

/** Until a process was started, which is a moment after the tick that decides it. */
async function started(played: readonly Played[], count: number): Promise<Played> {
  for (;;) {
    const one = played[count - 1];
    if (one) return one;
    await Bun.sleep(1);
  }
}

describe("the desk of training runs", () => {
  test("starts a process with all that it needs, keeps its rounds and its end, and tells it that it is held", async () => {
    const { desk, played } = newDesk();
    const id = await waiting();
    await desk.tick();
    const one = await started(played, 1);
    expect(one.job).toMatchObject({
      runId: id,
      roundsDone: 0,
      participants: [{ name: "north", url: "https://north.example.com", token: "a token" }],
      allowPrivate: false,
      keepFreeMb: 0,
    });
    one.tell({ kind: "round", record: newRound(1) });
    await desk.tick();
    expect(one.held).toBe(1);
    one.tell({ kind: "round", record: newRound(2) });
    one.tell({ kind: "end", paused: "nobody answers" });
    await desk.idle();
    expect(await stores.runs.find(id)).toMatchObject({
      status: "paused",
      reason: "nobody answers",
      roundsDone: 2,
      leaseOwner: null,
    });
  });

  test("a process that breaks down is started anew, and the run paused when that is of no use", async () => {
    const { desk, played } = newDesk();
    const id = await waiting();
    for (let time = 1; time <= 3; time++) {
      await desk.tick();
      (await started(played, time)).die();
      await desk.idle();
    }
    const { status, reason } = (await stores.runs.find(id)) as TrainingRun;
    expect([status, reason]).toEqual([
      "paused",
      "the process that carries it out ended with 137, 3 times without finishing a round",
    ]);
  });

  test("a process that is stuck is ended and started anew, and one that answers is left to its work", async () => {
    const { desk, played } = newDesk();
    const id = await waiting();
    await desk.tick();
    const stuck = await started(played, 1);
    for (let asked = 0; asked < 200; asked++) await desk.tick();
    stuck.tell({ kind: "here" });
    for (let asked = 0; asked < 300; asked++) await desk.tick();
    expect(stuck.killed).toBe(false);
    await desk.tick();
    expect(stuck.killed).toBe(true);
    await desk.idle();
    await desk.tick();
    expect((await started(played, 2)).job.runId).toBe(id);
    await desk.stop();
  });

  test("a server that is stopped and started does not count as a process that broke down", async () => {
    const id = await waiting();
    for (let restart = 0; restart < 3; restart++) {
      const { desk, played } = newDesk();
      await desk.tick();
      await started(played, 1);
      await desk.stop();
    }
    const { desk, played } = newDesk();
    await desk.tick();
    (await started(played, 1)).die();
    await desk.idle();
    expect(await stores.runs.find(id)).toMatchObject({ status: "running", attempts: 1 });
    await desk.stop();
  });

  test("a run that cannot be started pauses as well, with a reason and without a loop", async () => {
    const { desk, played } = newDesk(2, () => {
      throw new Error("sealed with another secret");
    });
    const id = await waiting();
    for (let time = 1; time <= 3; time++) {
      await desk.tick();
      await desk.idle();
    }
    expect(played).toEqual([]);
    expect(await stores.runs.find(id)).toMatchObject({
      status: "paused",
      reason: "it could not be started, 3 times without finishing a round",
    });
  });

  test("a run whose end could not be written is taken up again, also while another is carried out here", async () => {
    let failures = 0;
    const transaction: TrainingStores["transaction"] = (work) =>
      failures-- > 0 ? Promise.reject(new GatewayError("database", "away")) : stores.transaction(work);
    const { desk, played } = newDesk(2, undefined, { ...stores, transaction });
    const ids = [await waiting(), await waiting({ createdAt: 2_000_000_000_000 })];
    await desk.tick();
    const [first, other] = [await started(played, 1), await started(played, 2)];
    failures = 1;
    first.tell({ kind: "end", paused: null });
    while (failures > 0) await Bun.sleep(1);
    for (let second = 0; second < 20 && played.length === 2; second++) {
      clock.step(1_000);
      await desk.tick();
    }
    const again = await started(played, 3);
    expect([again.job.runId, other.killed]).toEqual([ids[0] ?? "", false]);
    again.tell({ kind: "end", paused: null });
    while ((await stores.runs.find(ids[0] ?? ""))?.status !== "completed") await Bun.sleep(1);
    await desk.stop();
  });

  test("a run that another process has taken is let go, and nothing more is written of it", async () => {
    const [first, second] = [newDesk(), newDesk()];
    const id = await waiting();
    await first.desk.tick();
    const lost = await started(first.played, 1);
    clock.step(LEASE_MS);
    await second.desk.tick();
    clock.step(LEASE_MS);
    await second.desk.tick();
    const taken = await started(second.played, 1);
    lost.tell({ kind: "round", record: newRound(1) });
    await first.desk.idle();
    expect(lost.killed).toBe(true);
    expect(await stores.runs.find(id)).toMatchObject({ roundsDone: 0, leaseOwner: second.desk.owner, attempts: 2 });
    taken.tell({ kind: "round", record: newRound(1) });
    taken.tell({ kind: "end", paused: null });
    await second.desk.idle();
    expect(await stores.runs.find(id)).toMatchObject({ status: "completed", roundsDone: 1 });
  });

  test("a clock that is set forward takes no run from a holder that lives", async () => {
    const [first, second] = [newDesk(), newDesk()];
    const id = await waiting();
    await first.desk.tick();
    await started(first.played, 1);
    clock.set(3_600_000);
    for (let look = 0; look < 20; look++) {
      // The other one looks first each time, as it may.
      await second.desk.tick();
      await first.desk.tick();
      clock.step(1_000);
    }
    expect(second.played).toHaveLength(0);
    expect(await stores.runs.find(id)).toMatchObject({ leaseOwner: first.desk.owner, attempts: 1 });
    await first.desk.stop();
  });

  test("a clock that is set back keeps no run that its holder has left behind", async () => {
    const [first, second] = [newDesk(), newDesk()];
    const id = await waiting();
    await first.desk.tick();
    await started(first.played, 1);
    clock.set(-3_600_000);
    await second.desk.tick();
    clock.step(LEASE_MS);
    await second.desk.tick();
    await started(second.played, 1);
    expect(await stores.runs.find(id)).toMatchObject({ leaseOwner: second.desk.owner, attempts: 2 });
    await Promise.all([first.desk.stop(), second.desk.stop()]);
  });

  test("a run that was paused elsewhere ends here at the next look, and only so many are carried out at once", async () => {
    const { desk, played } = newDesk(1);
    const ids = [await waiting(), await waiting({ createdAt: 2_000_000_000_000 })];
    await desk.tick();
    const one = await started(played, 1);
    await stores.runs.change(ids[0] ?? "", (run) => pause(run, "Ada paused it", 0));
    await desk.tick();
    await desk.idle();
    expect([one.killed, (await stores.runs.find(ids[0] ?? ""))?.leaseOwner]).toEqual([true, null]);
    expect(played).toHaveLength(1);
    await desk.tick();
    expect((await started(played, 2)).job.runId).toBe(ids[1] ?? "");
    await desk.stop();
    // What is left at the end is for others to take up at once.
    expect(await stores.runs.find(ids[1] ?? "")).toMatchObject({ status: "running", leaseOwner: null });
  });

  test("an organization with many runs does not keep those of another waiting", async () => {
    const { desk, played } = newDesk();
    const many = [];
    for (let at = 0; at < 4; at++) many.push(await waiting({ createdAt: at }));
    const accounts = accountStores(backend.db);
    const other = newOrganization((await accounts.users.insert(newUser())).id);
    await accounts.organizations.insert(other);
    const late = newRun(other.id, { createdAt: 2_000_000_000_000 });
    await stores.runs.insert(late);
    await desk.tick();
    await started(played, 2);
    expect(played.map(({ job }) => job.runId).sort()).toEqual([many[0] ?? "", late.id].sort());
    await desk.stop();
  });

  test("a run whose folder is elsewhere is left to who sees it", async () => {
    const { desk, played } = newDesk();
    const id = await waiting({ roundsDone: 1, status: "running" });
    await desk.tick();
    expect([played.length, (await stores.runs.find(id))?.leaseOwner]).toEqual([0, null]);
  });

  test("however many runs lie elsewhere, a newer one that can be carried out here is", async () => {
    const { desk, played } = newDesk();
    for (let at = 0; at < 60; at++) await waiting({ roundsDone: 1, status: "running" });
    const id = await waiting({ createdAt: 2_000_000_000_000 });
    await desk.tick();
    expect((await started(played, 1)).job.runId).toBe(id);
    await desk.stop();
  });
});
