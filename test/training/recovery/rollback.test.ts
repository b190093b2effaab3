import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RoundRecord } from "../../../src/training/coordinator/run-folder.ts";
import { newFolder, PROGRAM } from "../../e2e/process.ts";
import { modelOf, type Small, startSmall, valuesOf } from "../small-participants.ts";

const started: Small[] = [];
const folders: Array<{ remove(): void }> = [];
afterAll(async () => {
  for (const folder of folders) folder.remove();
  await Promise.all(started.map((one) => one.stop()));
});

/** A folder with a plan, and the command line in it. */
function newPlace(participants: readonly Small[], plan: object) {
  const folder = newFolder();
  folders.push(folder);
  const named = participants.map(({ id, url }) => ({ id, url }));
  const write = (more: object): void =>
    writeFileSync(join(folder.path, "plan.yaml"), JSON.stringify({ participants: named, ...plan, ...more }));
  write({});
  return {
    path: folder.path,
    write,
    async train(...args: readonly string[]) {
      const child = Bun.spawn([...PROGRAM, "train", ...args, "--folder", "run"], {
        cwd: folder.path,
        env: { PATH: process.env.PATH ?? "", HOME: folder.path },
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      return { code: await child.exited, out, err };
    },
    rounds: (): RoundRecord[] =>
      readFileSync(join(folder.path, "run", "rounds.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    models: (): string[] => readdirSync(join(folder.path, "run", "models")).sort(),
    read: (model: string): number[] => valuesOf(readFileSync(join(folder.path, "run", "models", model))),
  };
}

async function group(...more: Parameters<typeof startSmall>[]): Promise<Small[]> {
  const small = await Promise.all([
    ...[0, 1, 2, 3].map((at) => startSmall(`p${at}`, at)),
    ...more.map((one) => startSmall(...one)),
  ]);
  started.push(...small);
  return small;
}

describe("turnpike train rollback", () => {
  test("removes the later rounds, and the run continues from there", async () => {
    const names = new Set<string>();
    const participants = await group([
      "names",
      4,
      (parameters, _, context) => {
        names.add(context.runId ?? "none");
        return parameters === null ? modelOf([0, 0, 0]) : parameters;
      },
    ]);
    const place = newPlace(participants, { rounds: 4, strategy: "fedadam" });
    expect((await place.train("run", "plan.yaml")).code).toBe(0);
    const before = place.rounds();
    const { code, out } = await place.train("rollback", "plan.yaml", "--round", "2", "--json");
    expect([code, JSON.parse(out)]).toEqual([0, { rounds: 2, model: before[1]?.modelOut }]);
    expect(place.rounds()).toEqual(before.slice(0, 2));
    expect(place.models()).toEqual([before[0]?.modelOut, before[1]?.modelOut].toSorted() as string[]);
    expect((await place.train("run", "plan.yaml")).code).toBe(0);
    const after = place.rounds();
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after.map(({ round }) => round)).toEqual([1, 2, 3, 4]);
    expect(after[2]?.modelIn).toBe(before[1]?.modelOut as string);
    // The memory of the strategy starts again, and participants know the run by another name.
    expect(after[2]?.modelOut).not.toBe(before[2]?.modelOut);
    expect(names.size).toBe(2);
  });

  test("takes a plan that changed, so that a poisoned run can be repaired", async () => {
    const liar: Parameters<typeof startSmall> = [
      "liar",
      4,
      () => ({ parameters: modelOf([1e30, 1, 1]), numExamples: 2 }),
    ];
    const participants = await group(liar);
    const place = newPlace(participants, { rounds: 3, quorum: 4, outlier_factor: "off" });
    expect((await place.train("run", "plan.yaml")).code).toBe(0);
    expect(place.read(place.rounds()[2]?.modelOut ?? "")[0]).toBeGreaterThan(1e29);
    place.write({ outlier_factor: undefined });
    expect((await place.train("run", "plan.yaml")).err).toContain("holds a run of another plan");
    expect((await place.train("rollback", "plan.yaml", "--round", "0")).code).toBe(0);
    expect((await place.train("run", "plan.yaml")).code).toBe(0);
    for (const { warning, modelOut } of place.rounds()) {
      expect(warning).toContain("left out liar");
      expect(place.read(modelOut)[0]).toBeLessThan(10);
    }
  });

  test("counts the privacy that removed rounds have spent", async () => {
    const place = newPlace(await group(), { rounds: 2, noise: { multiplier: 2 }, clip: 1, initial: "start" });
    writeFileSync(join(place.path, "start"), modelOf([0, 0, 0]));
    await place.train("run", "plan.yaml");
    const [, second] = place.rounds();
    await place.train("rollback", "plan.yaml", "--round", "1");
    await place.train("run", "plan.yaml");
    expect(place.rounds()[1]?.epsilon).toBeGreaterThan(second?.epsilon ?? Number.POSITIVE_INFINITY);
  });

  test("refuses a round that the run does not have, and a folder without a run", async () => {
    const place = newPlace(await group(), { rounds: 1 });
    const missing = await place.train("rollback", "plan.yaml", "--round", "1");
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("run holds no run")]);
    await place.train("run", "plan.yaml");
    const far = await place.train("rollback", "plan.yaml", "--round", "2");
    expect([far.code, far.err]).toEqual([2, expect.stringContaining("it has 1 finished rounds, and no round 2")]);
    const word = await place.train("rollback", "plan.yaml", "--round", "two");
    expect([word.code, word.err]).toEqual([2, expect.stringContaining("It must be a whole number from 0.")]);
  });
});
