import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { Coordinator } from "../../src/training/coordinator/coordinator.ts";
import { readPlan } from "../../src/training/coordinator/plan.ts";
import { RunFolder } from "../../src/training/coordinator/run-folder.ts";
import { newFolder } from "../e2e/process.ts";
import { modelOf, type Small, startSmall, valuesOf } from "./small-participants.ts";

const started: Array<{ stop(): unknown }> = [];
afterAll(() => Promise.all(started.map((one) => one.stop())));

async function group(count: number): Promise<Small[]> {
  const participants = await Promise.all(Array.from({ length: count }, (_, at) => startSmall(`p${at}`, at)));
  started.push(...participants);
  return participants;
}

function runPlan(participants: readonly { id: string; url: string }[], more: Record<string, unknown>, path?: string) {
  const folder = newFolder();
  started.push({ stop: () => folder.remove() });
  const plan = readPlan({
    participants: participants.map(({ id, url }) => ({ id, url })),
    rounds: 3,
    retries: 0,
    ...more,
  });
  const run = new RunFolder(path ?? folder.path);
  return {
    folder: run,
    outcome: new Coordinator({
      plan,
      folder: run,
      clock: systemClock,
      tokens: {},
      initial: null,
      tell: () => undefined,
    }).run(),
  };
}

test("rounds train, average by examples, evaluate and are written with hashes of what went in and out", async () => {
  const participants = await group(3);
  const { folder, outcome } = runPlan(participants, { rounds: 2 });
  const { rounds, model, paused } = await outcome;
  expect(paused).toBeNull();
  const own = (values: number[], at: number) =>
    values.map((value, place) => value + 0.3 * (Math.sin(at * 7 + place) * 5 - value));
  const next = (values: number[]) => {
    const trained = [0, 1, 2].map((at) => own(values, at).map(Math.fround));
    return values.map((_, place) =>
      Math.fround(
        (1 * (trained[0]?.[place] ?? 0) + 2 * (trained[1]?.[place] ?? 0) + 3 * (trained[2]?.[place] ?? 0)) / 6,
      ),
    );
  };
  expect(valuesOf(model ?? new Uint8Array())).toEqual(next(next([0, 0, 0])));
  expect(rounds.map(({ modelIn, modelOut }) => [modelIn, modelOut])).toEqual([
    [null, rounds[0]?.modelOut ?? ""],
    [rounds[0]?.modelOut ?? "", rounds[1]?.modelOut ?? ""],
  ]);
  expect(
    rounds[1]?.replies.map(({ participant, numExamples, counted }) => [participant, numExamples, counted]),
  ).toEqual([
    ["p0", 1, true],
    ["p1", 2, true],
    ["p2", 3, true],
  ]);
  expect(rounds[1]?.accuracy).toBe(-Math.abs(valuesOf(model ?? new Uint8Array())[0] ?? 0));
  expect(folder.rounds()).toEqual([...rounds]);
});

test("a run that is finished is not run again, and another plan does not go on with it", async () => {
  const participants = await group(2);
  const { folder, outcome } = runPlan(participants, { rounds: 2 });
  const first = await outcome;
  const calls = participants.map((one) => one.calls.count);
  const again = await runPlan(participants, { rounds: 2 }, folder.path).outcome;
  expect(again.rounds).toEqual(first.rounds);
  expect(participants.map((one) => one.calls.count)).toEqual(calls);
  expect(() => runPlan(participants, { rounds: 4 }, folder.path)).toThrow("another plan");
});

describe("what goes wrong at participants is data", () => {
  test("bad updates are left out with the reason, and the rest is averaged", async () => {
    const good = await group(2);
    const bad = await Promise.all([
      startSmall("q0", 0, () => modelOf([1, Number.NaN, 1])),
      startSmall("q1", 0, () => modelOf([1, 2])),
      startSmall("q2", 0, () => new Uint8Array([1, 2, 3])),
      startSmall("q3", 0, () => {
        throw new Error("out of memory");
      }),
      startSmall("q4", 0, () => ({ parameters: modelOf([1, 1, 1]), numExamples: 0 })),
    ]);
    started.push(...bad);
    const { outcome } = runPlan([...good, ...bad, { id: "q5", url: "http://127.0.0.1:1" }], { rounds: 1, quorum: 2 });
    const { rounds, paused } = await outcome;
    expect(paused).toBeNull();
    expect(rounds[0]?.replies.map(({ participant }) => participant)).toEqual(["p0", "p1"]);
    const reasons = Object.fromEntries(
      rounds[0]?.dropped.map(({ participant, reason }) => [participant, reason]) ?? [],
    );
    expect(reasons.q0).toContain("number 1 is not finite");
    expect(reasons.q1).toContain("w is [2], not [3]");
    expect(reasons.q2).toContain("neither safetensors");
    expect(reasons.q3).toContain("it answered 500");
    expect(reasons.q3).not.toContain("out of memory");
    expect(reasons.q4).toContain("no examples");
    expect(reasons.q5).toBeString();
  });

  test("who does not answer in time is not waited for", async () => {
    const good = await group(2);
    const silent = await startSmall("z", 0, () => new Promise<never>(() => undefined));
    const { outcome } = runPlan([...good, silent], { rounds: 1, quorum: 2, deadline_seconds: 1 });
    const { rounds } = await outcome;
    expect(rounds[0]?.dropped).toEqual([{ participant: "z", reason: "the deadline passed" }]);
  });

  test("below the quorum a run pauses with the reason, and goes on when they are back", async () => {
    const [one] = await group(1);
    if (one === undefined) throw new Error("nobody started");
    let broken = true;
    const other = await startSmall("r", 1, () => {
      if (broken) throw new Error("not today");
      return modelOf([1, 1, 1]);
    });
    started.push(other);
    const { folder, outcome } = runPlan([one, other], { rounds: 1 });
    const first = await outcome;
    expect(first.paused).toContain("round 1 did not reach its quorum of 2");
    expect(first.paused?.split("r: it answered 500")).toHaveLength(2);
    expect(first.rounds).toEqual([]);
    broken = false;
    const second = await runPlan([one, other], { rounds: 1 }, folder.path).outcome;
    expect(second.paused).toBeNull();
    expect(one.calls.count).toBe(1);
  });

  test("who answers in a later try is not dropped, and who never does is dropped once", async () => {
    const good = await group(2);
    let tries = 0;
    const late = await startSmall("late", 1, () => {
      tries++;
      if (tries < 3) throw new Error("not yet");
      return modelOf([1, 1, 1]);
    });
    const liar = await startSmall("liar", 1, () => modelOf([1, 1, Number.NaN]));
    started.push(late, liar);
    const all = [...good, late, liar, { id: "gone", url: "http://127.0.0.1:1" }];
    const { rounds } = await runPlan(all, { rounds: 1, quorum: 3, retries: 1 }).outcome;
    expect(tries).toBe(3);
    expect(rounds[0]?.replies.map(({ participant }) => participant)).toEqual(["late", "p0", "p1"]);
    expect(rounds[0]?.dropped.map(({ participant }) => participant).sort()).toEqual(["gone", "liar"]);
  });

  test.each([
    [429, "7", [7_000]],
    [503, "Tue, 17 Nov 2026 12:00:30 GMT", [30_000]],
    [503, "86400", [60_000]],
    [503, "0", [200]],
    [503, null, [200]],
    [500, "soon", [200]],
    [400, "7", []],
  ])(
    "who answers %i with retry-after %s is asked again when it wants to be, within a minute",
    async (status, after, waits) => {
      const [one] = await group(1);
      const folder = newFolder();
      started.push({ stop: () => folder.remove() });
      const waited: number[] = [];
      let asked = 0;
      const { paused } = await new Coordinator({
        plan: readPlan({ participants: [{ id: "p0", url: one?.url }], rounds: 1, retries: 1 }),
        folder: new RunFolder(folder.path),
        clock: systemClock,
        tokens: {},
        initial: null,
        tell: () => undefined,
        waiting: {
          clock: { nowMs: () => Date.UTC(2026, 10, 17, 12) },
          wait: async (ms) => void waited.push(ms),
        },
        send: (url, init) => {
          const headers: Record<string, string> = after === null ? {} : { "retry-after": after };
          // A round is tried again as well, without a wait of its own.
          return asked++ === 0 ? Promise.resolve(new Response("busy", { status, headers })) : fetch(url, init);
        },
      }).run();
      expect([waited, paused]).toEqual([waits, null]);
    },
  );

  test("what cannot count is asked for again when the run goes on, and what can is not", async () => {
    const [one] = await group(1);
    if (one === undefined) throw new Error("nobody started");
    // They do not remember what they said, as one does not that was mended and started again.
    const mended = { yet: false };
    const servers = [modelOf([1, Number.NaN, 1]), modelOf([1, 2]), new Uint8Array([1, 2, 3])].map((bad) =>
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: ({ url }) =>
          url.endsWith("/train") ? new Response(mended.yet ? modelOf([1, 2, 3]) : bad) : new Response("{}"),
      }),
    );
    started.push(...servers.map((server) => ({ stop: () => server.stop(true) })));
    const all = [one, ...servers.map(({ port }, at) => ({ id: `s${at}`, url: `http://127.0.0.1:${port}` }))];
    const { folder, outcome } = runPlan(all, { rounds: 1 });
    expect((await outcome).paused).toContain("s0: number 1 is not finite");
    mended.yet = true;
    const second = await runPlan(all, { rounds: 1 }, folder.path).outcome;
    expect(second.paused).toBeNull();
    expect(second.rounds[0]?.replies.map(({ participant }) => participant)).toEqual(["p0", "s0", "s1", "s2"]);
    expect(one.calls.count).toBe(1);
  });

  test("a stopped participant never stops a run that has its quorum", async () => {
    const participants = await group(4);
    await participants[3]?.stop();
    const { outcome } = runPlan(participants, { rounds: 5, quorum: 3 });
    const { rounds, paused } = await outcome;
    expect(paused).toBeNull();
    expect(rounds.every(({ replies }) => replies.length === 3)).toBe(true);
  });
});

test("participants that are killed in mid-round never stop a run that has its quorum", async () => {
  const good = await group(2);
  const file = join(import.meta.dir, "hanging-participant.ts");
  const children = [0, 1].map(() => Bun.spawn([process.execPath, file], { stdout: "pipe", stderr: "ignore" }));
  const hanging = await Promise.all(
    children.map(async (child, at) => {
      const url = Promise.withResolvers<string>();
      (async () => {
        let text = "";
        for await (const piece of child.stdout) {
          text += Buffer.from(piece).toString();
          const found = /listens on (\S+)\n/.exec(text)?.[1];
          if (found !== undefined) url.resolve(found);
          if (text.includes("begun\n")) child.kill("SIGKILL");
        }
      })();
      return { id: `q${at}`, url: await url.promise };
    }),
  );
  const { outcome } = runPlan([...good, ...hanging], { rounds: 3, quorum: 2 });
  const { rounds, paused } = await outcome;
  await Promise.all(children.map((child) => child.exited));
  expect(paused).toBeNull();
  expect(children.map(({ signalCode }) => signalCode)).toEqual(["SIGKILL", "SIGKILL"]);
  expect(rounds.map(({ replies }) => replies.map(({ participant }) => participant).join())).toEqual([
    "p0,p1",
    "p0,p1",
    "p0,p1",
  ]);
  expect(rounds[0]?.dropped.map(({ participant }) => participant).sort()).toEqual(["q0", "q1"]);
}, 30_000);

test("a robust rule warns where updates point apart", async () => {
  const apart = await Promise.all(
    [0, 1, 2, 3].map((at) =>
      startSmall(`s${at}`, 0, () => modelOf([0, 1, 2, 3].map((place) => (place === at ? 1 : 0)))),
    ),
  );
  started.push(...apart);
  const { rounds } = await runPlan(apart, { rounds: 1, strategy: "median" }).outcome;
  expect(rounds[0]?.warning).toContain("updates point apart (cosine 0.00 in the first rounds)");
});

test("only so many are asked, the same ones for the same seed", async () => {
  const participants = await group(6);
  const asked = async (seed: number) => {
    const { rounds } = await runPlan(participants, { rounds: 4, sample: 2, seed }).outcome;
    return rounds.map(({ replies }) => replies.map(({ participant }) => participant).join());
  };
  const first = await asked(1);
  expect(first.every((names) => names.split(",").length === 2)).toBe(true);
  expect(await asked(1)).toEqual(first);
  expect(new Set([...first, ...(await asked(2)), ...(await asked(3))]).size).toBeGreaterThan(3);
});

test("who has a limit of its own counts for no more, and calls leave by the door that is given", async () => {
  const participants = await group(3);
  const folder = newFolder();
  started.push({ stop: () => folder.remove() });
  const named = participants.map(({ id }) => ({ id, url: `http://${id}.participant` }));
  const plan = readPlan({ participants: named.map((one) => ({ ...one, max_examples: 2 })), rounds: 1 });
  const asked: unknown[] = [];
  const coordinator = new Coordinator({
    plan,
    folder: new RunFolder(folder.path),
    clock: systemClock,
    tokens: {},
    initial: null,
    tell: () => undefined,
    runId: "the-run",
    async send(url, init) {
      const form = await new Response(init.body, {
        headers: init.headers as Record<string, string>,
      }).formData();
      asked.push(JSON.parse(String(form.get("meta"))).run_id);
      const { hostname, pathname } = new URL(url);
      const real = participants.find(({ id }) => hostname === `${id}.participant`);
      return fetch(`${real?.url}${pathname}`, init);
    },
  });
  const { rounds } = await coordinator.run();
  expect(rounds[0]?.replies.map(({ numExamples }) => numExamples)).toEqual([1, 2, 2]);
  expect(new Set(asked)).toEqual(new Set(["the-run"]));
});
