import { afterAll, describe, expect, test } from "bun:test";
import { secagg } from "../../sdk/typescript/src/index.ts";
import { SecureRounds } from "../../sdk/typescript/src/secagg/secure-rounds.ts";
import { SeededRandom } from "../../src/training/seeded-random.ts";
import { baseOf, Group, type Member, plainWords, type Seen, sumOf } from "./secure-group.ts";

// A coordinator that keeps everything it was told, and everything that reached it too late, and tries to get at one update.

const LENGTH = 40;
const model = baseOf(LENGTH);
const random = new SeededRandom("privacy");
/** p1 drops out before its update, p4 after it: its update comes too late, when it counts as gone already. */
const members: Member[] = Array.from({ length: 7 }, (_, at) => ({
  id: `p${at}`,
  change: Array.from({ length: LENGTH }, () => random.gaussian()),
  examples: at + 1,
  ...(at === 1 ? { drops: { phase: "masked" as const, lost: "question" as const } } : {}),
  ...(at === 4 ? { drops: { phase: "masked" as const, lost: "answer" as const } } : {}),
}));
const group = new Group(members, model);
const outcome = await group.run();
if ("why" in outcome) throw new Error(outcome.why);
afterAll(() => group.remove());

const ids = members.map(({ id }) => id);
const plain = new Map(members.map((member) => [member.id, plainWords(model, member)]));
const survivors = outcome.survivors.map(({ participant }) => participant);
const jsonOf = ({ answer }: Seen) => JSON.parse(Buffer.from(answer).toString());
const answersIn = (phase: Seen["phase"]) => group.seen.filter((one) => one.phase === phase);
/** Every masked update that ever reached the coordinator, in time or not. */
const masked = new Map(answersIn("masked").map((one) => [one.id, secagg.wordsOf(one.answer)]));

/** All that can be computed from what was received: seeds of survivors, mask keys of the dropped, and what follows from them. */
const knowledge = (() => {
  const keys = answersIn("keys").map((one) => {
    const { cipher_key: cipherKey, mask_key: maskKey } = jsonOf(one);
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, "base64"));
    return { participant: one.id, cipherKey: bytes(cipherKey), maskKey: bytes(maskKey) };
  });
  const scale = { threshold: group.threshold, clip: 8, maxWeight: 100 };
  const runId = Bun.file(`${group.folder.path}/secure/name`);
  const told = answersIn("unmask").map((one) => ({ id: one.id, ...jsonOf(one) }));
  const givers = told.slice(0, group.threshold);
  const weights = secagg.weightsAtZero(givers.map(({ id }) => ids.indexOf(id) + 1));
  const combine = (kind: "seeds" | "keys", name: string) =>
    secagg.combineShares(
      givers.map((giver) => {
        const { share } = giver[kind].find((one: { participant: string }) => one.participant === name);
        return new Uint8Array(Buffer.from(share, "base64"));
      }),
      weights,
    ) as Uint8Array;
  const terms = async () => ({ ...scale, runId: await runId.text(), round: 1, attempt: 1, participants: ids });
  return { keys, combine, transcript: async () => secagg.transcriptOf(await terms(), keys) };
})();

/** Takes away every mask that the coordinator can compute from a sum of some masked updates. */
async function strip(names: readonly string[]): Promise<Uint32Array> {
  const sum = sumOf(names.map((name) => masked.get(name) as Uint32Array));
  const transcript = await knowledge.transcript();
  for (const name of names) {
    if (survivors.includes(name)) secagg.addMask(sum, knowledge.combine("seeds", name), -1);
    for (const { participant, maskKey } of knowledge.keys) {
      if (participant === name || (survivors.includes(participant) && survivors.includes(name))) continue;
      // One side of this pair has dropped out, so that its mask key is known, and with it the mask of the pair.
      const dropped = survivors.includes(participant) ? name : participant;
      const other =
        dropped === name ? maskKey : (knowledge.keys.find((one) => one.participant === name)?.maskKey ?? maskKey);
      const agreed = secagg.agree(knowledge.combine("keys", dropped), other) as Uint8Array;
      secagg.addMask(sum, secagg.pairSeed(agreed, transcript), name < participant ? -1 : 1);
    }
  }
  return sum;
}

const isSame = (a: Uint32Array, b: Uint32Array) => Buffer.from(secagg.bytesOf(a)).equals(secagg.bytesOf(b));
/** Words of a plain sum of a few lie below 2^25; of random ones hardly any do. */
const looksPlain = (words: Uint32Array) => words.filter((word) => word < 2 ** 25).length > words.length / 4;

describe("a coordinator that keeps all it received", () => {
  test("can take the sum of the survivors apart from the masks, which shows that the attack below is the real one", async () => {
    expect(survivors).toEqual(["p0", "p2", "p3", "p5", "p6"]);
    expect(masked.has("p4")).toBe(true);
    const sum = await strip(survivors);
    expect(isSame(sum, sumOf(survivors.map((name) => plain.get(name) as Uint32Array)))).toBe(true);
    expect(looksPlain(sum)).toBe(true);
  });

  test("cannot unmask one, nor the sum of any fewer than all the survivors", async () => {
    const subsets = Array.from({ length: 2 ** survivors.length - 2 }, (_, at) =>
      survivors.filter((_name, place) => ((at + 1) >> place) & 1),
    );
    expect(subsets).toHaveLength(30);
    for (const names of subsets) {
      const stripped = await strip(names);
      expect(looksPlain(stripped)).toBe(false);
      expect(isSame(stripped, sumOf(names.map((name) => plain.get(name) as Uint32Array)))).toBe(false);
    }
  });

  test("cannot unmask the update that came too late, whose mask key it was given", async () => {
    for (const names of [["p4"], ["p4", ...survivors], ["p4", "p0"]]) {
      expect(looksPlain(await strip(names))).toBe(false);
    }
  });

  test("finds no update and no seed in the bytes, nor the difference of two of them", () => {
    const received = Buffer.concat(group.seen.map(({ answer }) => answer));
    for (const words of plain.values()) {
      // No run of four words of an update stands anywhere, neither as bytes nor as base64.
      for (let at = 0; at + 4 <= words.length; at++) {
        const piece = Buffer.from(secagg.bytesOf(words.slice(at, at + 4)));
        expect(received.includes(piece)).toBe(false);
        expect(received.includes(piece.subarray(0, 15).toString("base64").slice(0, 20))).toBe(false);
      }
    }
    const names = [...masked.keys()];
    for (const a of names) {
      for (const b of names) {
        if (a === b) continue;
        const difference = (masked.get(a) as Uint32Array).map((word, at) => word - (masked.get(b)?.[at] ?? 0));
        expect(looksPlain(difference)).toBe(false);
      }
    }
  });

  test("is given one kind of share of everybody, and learns no weight but the sum", () => {
    for (const one of answersIn("unmask")) {
      const { seeds, keys } = jsonOf(one) as Record<string, Array<{ participant: string }>>;
      expect(seeds?.map(({ participant }) => participant)).toEqual(survivors);
      expect(keys?.map(({ participant }) => participant)).toEqual(["p1", "p4"]);
    }
    const text = Buffer.concat(
      group.seen.filter(({ phase }) => phase !== "masked").map(({ answer }) => answer),
    ).toString();
    expect(text).not.toContain("num_examples");
    expect(outcome.weight).toBe(1 + 3 + 4 + 6 + 7);
  });
});

test("masked words are spread evenly, whatever is masked", async () => {
  const length = 20_000;
  const constant = Array.from({ length: 4 }, (_, at) => ({
    id: `p${at}`,
    change: Array(length).fill(0),
    examples: 100,
  }));
  const even = new Group(constant, baseOf(length));
  await even.run();
  for (const { phase, answer } of even.seen) {
    if (phase !== "masked") continue;
    const counts = new Float64Array(256);
    for (const byte of answer) counts[byte] = (counts[byte] as number) + 1;
    const expected = answer.length / 256;
    const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
    // 255 degrees of freedom: mean 255, deviation 22.6. Below 100 or above 480 comes once in some 10^20 runs.
    expect(chiSquare).toBeGreaterThan(100);
    expect(chiSquare).toBeLessThan(480);
  }
  even.remove();
});

describe("a coordinator that lies", () => {
  test("cannot get enough shares of both kinds of anybody by telling different lists", async () => {
    const honest = new Group(
      Array.from({ length: 6 }, (_, at) => ({ id: `p${at}`, change: [1], examples: 1 })),
      baseOf(1),
    );
    const result = await honest.run();
    if ("why" in result) throw new Error(result.why);
    const name = {
      run_id: await Bun.file(`${honest.folder.path}/secure/name`).text(),
      round: 1,
      attempt: result.attempt,
    };
    const others = ["p1", "p2", "p3", "p4", "p5"];
    for (const id of others) {
      const { status, body } = await honest.ask(id, "unmask", { ...name, survivors: others });
      expect([status, body.reason]).toEqual([409, "already_unmasked"]);
    }
    honest.remove();
  });

  test("cannot make participants up where the group has a secret, which it could otherwise", async () => {
    const participants = ["a", "b", "c"];
    const terms = { run_id: "made-up", round: 1, attempt: 1, participants, threshold: 3, clip: 8, max_weight: 1 };
    const fields = (value: object) => new Map(Object.entries(value));
    const asked = (groupSecret: string | null) => {
      // Only a is real; the coordinator plays b and c, and would know every mask but a's own, which it is given the shares of.
      const members = [groupSecret, null, null].map(
        (secret) =>
          new SecureRounds(
            () => 0,
            () => secret,
          ),
      );
      const keys = members.map((member, at) => {
        const participant = participants[at] as string;
        return { participant, ...member.keys(fields({ ...terms, participant })) };
      });
      return () => members[0]?.shares(fields({ run_id: "made-up", round: 1, attempt: 1, keys }));
    };
    expect(asked("what a, b and c know")).toThrow("the keys of b are not vouched for");
    expect(asked(null)()?.shares).toHaveLength(2);
  });

  test("cannot begin the round again with others once it was unmasked", async () => {
    const once = new Group(
      Array.from({ length: 5 }, (_, at) => ({ id: `p${at}`, change: [at], examples: 1 })),
      baseOf(1),
    );
    const first = await once.run();
    expect("meanAt" in first).toBe(true);
    const run_id = await Bun.file(`${once.folder.path}/secure/name`).text();
    const terms = {
      run_id,
      round: 1,
      attempt: 2,
      participants: ["p0", "p1", "p2"],
      threshold: 3,
      clip: 8,
      max_weight: 100,
    };
    for (const id of terms.participants) {
      const { status, body } = await once.ask(id, "keys", { ...terms, participant: id });
      expect([status, body.reason]).toEqual([409, "already_unmasked"]);
    }
    once.remove();
  });
});
