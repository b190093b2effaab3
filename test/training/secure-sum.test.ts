import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { secagg } from "../../sdk/typescript/src/index.ts";
import type { SecurePhase } from "../../src/training/secure/closed.ts";
import { baseOf, Group, type Member, plainWords, sumOf } from "./secure-group.ts";

const PHASES: readonly SecurePhase[] = ["keys", "shares", "masked", "unmask"];
const LENGTH = 6;
const model = baseOf(LENGTH);

/** Groups of which up to a third drop out, each in a phase of its own choice. */
const groups = fc.integer({ min: 3, max: 9 }).chain((count) => {
  const member = (at: number, canDrop: boolean) =>
    fc.record({
      id: fc.constant(`p${at}`),
      change: fc.array(fc.double({ min: -12, max: 12, noNaN: true }), { minLength: LENGTH, maxLength: LENGTH }),
      examples: fc.integer({ min: 0, max: 150 }).map((examples) => (at === 0 ? examples + 1 : examples)),
      ...(canDrop
        ? {
            drops: fc.option(
              fc.record({ phase: fc.constantFrom(...PHASES), lost: fc.constantFrom("question", "answer") }),
              { nil: undefined },
            ),
          }
        : {}),
    });
  // Three are the fewest that hide anybody: of three nobody may drop out.
  const most = count === 3 ? 0 : Math.floor(count / 3);
  return fc.tuple(...Array.from({ length: count }, (_, at) => member(at, at > 0 && at <= most)));
});

/** Who is in the sum: whose masked update arrived. */
const survives = ({ drops }: Member) => drops === undefined || drops.phase === "unmask";

async function check(members: readonly Member[]): Promise<void> {
  const group = new Group(members, model);
  try {
    const outcome = await group.run();
    if ("why" in outcome) throw new Error(`${outcome.why} ${JSON.stringify(outcome.dropped)}`);
    const survivors = members.filter(survives);
    expect(outcome.survivors.map(({ participant }) => participant)).toEqual(survivors.map(({ id }) => id));
    expect([...outcome.words]).toEqual([...sumOf(survivors.map((member) => plainWords(model, member)))]);
    expect(outcome.dropped.map(({ participant, phase }) => `${participant} ${phase}`).sort()).toEqual(
      members.flatMap(({ id, drops }) => (drops === undefined ? [] : [`${id} ${drops.phase}`])),
    );
  } finally {
    group.remove();
  }
}

describe("the unmasked sum is the plain sum of the words, bit for bit", () => {
  test("whoever drops out, up to a third, in whichever phase", async () => {
    await fc.assert(
      fc.asyncProperty(groups, (members) => check(members as Member[])),
      { numRuns: 40 },
    );
  }, 60_000);

  const third = PHASES.flatMap((phase) => (["question", "answer"] as const).map((lost) => ({ phase, lost })));
  test.each(third)("a third of nine drops out in $phase, the $lost lost", async (drops) => {
    await check(
      Array.from({ length: 9 }, (_, at) => ({
        id: `p${at}`,
        change: Array.from({ length: LENGTH }, (_, place) => Math.cos(at * LENGTH + place)),
        examples: at + 1,
        ...(at % 3 === 1 ? { drops } : {}),
      })),
    );
  });

  test("where nobody changes anything, nothing changes, whatever the clip and the weights", () => {
    const clips = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
    const weights = fc.array(fc.integer({ min: 1, max: 4_194_303 }), { minLength: 3, maxLength: 20 });
    fc.assert(
      fc.property(clips, weights, (clip, many) => {
        const scale = { clip, maxWeight: Math.max(...many) };
        const rows = many.map((weight) => secagg.toWords({ length: 2, pieces: [[0, clip]] }, weight, scale));
        const { meanAt } = secagg.fromWords(sumOf(rows), rows.length, scale);
        expect(meanAt(0)).toBe(0);
        // The whole clip comes out as it went in, up to half a level of each.
        const level = (2 * clip) / (2 ** 22 - 2);
        const share = many.reduce((sum, weight) => sum + weight, 0) / scale.maxWeight;
        expect(Math.abs(meanAt(1) - clip)).toBeLessThanOrEqual((rows.length * level * 0.501) / share);
      }),
    );
  });

  test("an update that comes after the deadline, when the sum is being unmasked, is not in it", async () => {
    const members = Array.from({ length: 4 }, (_, at) => ({
      id: `p${at}`,
      change: [1, 2, 3, 4, 5, at],
      examples: at + 1,
      ...(at === 2 ? { drops: { phase: "masked" as const, lost: "time" as const } } : {}),
    }));
    const group = new Group(members, model);
    const outcome = await group.run(1, 2_000);
    group.remove();
    if ("why" in outcome) throw new Error(outcome.why);
    expect(outcome.dropped).toEqual([{ participant: "p2", phase: "masked", reason: "the deadline passed" }]);
    expect([...outcome.words]).toEqual([...sumOf(members.filter(survives).map((one) => plainWords(model, one)))]);
  });

  test("one more than that, and there is no sum", async () => {
    for (const phase of PHASES) {
      const members = Array.from({ length: 6 }, (_, at) => ({
        id: `p${at}`,
        change: [1, 2, 3, 4, 5, 6],
        examples: 1,
        ...(at < 3 ? { drops: { phase, lost: "question" as const } } : {}),
      }));
      const group = new Group(members, model);
      const outcome = await group.run();
      expect(outcome).toMatchObject({ why: expect.stringContaining("too few") });
      group.remove();
    }
  });
});
