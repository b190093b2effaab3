import { describe, expect, test } from "bun:test";
import { SecureRounds } from "../../sdk/typescript/src/secagg/secure-rounds.ts";
import type { SecurePhase } from "../../src/training/secure/closed.ts";
import { baseOf, Group, type Member, plainWords, sumOf } from "./secure-group.ts";

const model = baseOf(5);
const membersOf = (count: number, drops?: Member["drops"], dropping: readonly number[] = []): Member[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `p${at}`,
    change: [at, 1, -at, 0.5, at / 3],
    examples: at + 1,
    ...(drops !== undefined && dropping.includes(at) ? { drops } : {}),
  }));
const wordsOf = (members: readonly Member[]) => [...sumOf(members.map((member) => plainWords(model, member)))];

describe("a participant that is started again in mid-round", () => {
  test.each(["shares", "masked"] as SecurePhase[])("before %s counts as dropped there", async (phase) => {
    const members = membersOf(5);
    const group = new Group(members, model);
    group.before = (id, asked) => {
      if (id === "p2" && asked === phase) group.restart("p2");
    };
    const outcome = await group.run();
    if ("why" in outcome) throw new Error(outcome.why);
    expect(outcome.dropped).toMatchObject([
      { participant: "p2", phase, reason: expect.stringContaining("unknown_round") },
    ]);
    expect([...outcome.words]).toEqual(wordsOf(members.filter(({ id }) => id !== "p2")));
    group.remove();
  });

  test("before unmask is in the sum all the same", async () => {
    const members = membersOf(5);
    const group = new Group(members, model);
    group.before = (id, asked) => {
      if (id === "p2" && asked === "unmask") group.restart("p2");
    };
    const outcome = await group.run();
    if ("why" in outcome) throw new Error(outcome.why);
    expect(outcome.dropped).toMatchObject([{ participant: "p2", phase: "unmask" }]);
    expect([...outcome.words]).toEqual(wordsOf(members));
    group.remove();
  });
});

describe("a round whose unmasking failed", () => {
  const offline = { phase: "unmask", lost: "answer" } as const;

  test("asks for the same list again, in the same attempt, and gets the sum", async () => {
    const away = membersOf(5, offline, [0, 1, 2]);
    const group = new Group(away, model);
    expect(await group.run()).toMatchObject({ why: "too few helped to unmask the sum" });
    for (const member of away) Object.assign(member, { drops: undefined });
    const outcome = await group.run();
    expect(outcome).toMatchObject({ attempt: 1 });
    expect([...("words" in outcome ? outcome.words : [])]).toEqual(wordsOf(away));
    const asked = group.seen.filter(({ phase }) => phase === "masked");
    expect(asked).toHaveLength(5);
    group.remove();
  });

  test("is begun anew only when nobody can unmask it any more", async () => {
    const away = membersOf(5, { phase: "unmask", lost: "question" }, [0, 1, 2, 3, 4]);
    const group = new Group(away, model);
    expect(await group.run()).toMatchObject({ why: "too few helped to unmask the sum" });
    for (const member of away) Object.assign(member, { drops: undefined });
    for (const { id } of away) group.restart(id);
    const outcome = await group.run();
    expect(outcome).toMatchObject({ attempt: 2 });
    expect([...("words" in outcome ? outcome.words : [])]).toEqual(wordsOf(away));
    group.remove();
  });
});

describe("wrong shares", () => {
  /** They tell somebody else's share for one of the seeds and one of the mask keys. */
  function lie(group: Group, ...ids: string[]): void {
    for (const id of ids) {
      const liar = group.participants.get(id);
      if (liar === undefined) throw new Error("nobody is there");
      const honest = liar.handle.bind(liar);
      liar.handle = async (request) => {
        const response = await honest(request);
        if (!request.url.endsWith("/unmask")) return response;
        const told = (await response.json()) as { seeds: Array<{ share: string }>; keys: Array<{ share: string }> };
        const other = told.seeds[0]?.share;
        const seeds = told.seeds.map((one, at) => (at === 1 ? { ...one, share: other } : one));
        return Response.json({ seeds, keys: told.keys.map((one) => ({ ...one, share: other })) });
      };
    }
  }

  test("are found out, not summed", async () => {
    const group = new Group(membersOf(4), model);
    lie(group, "p3");
    group.before = (id, phase) => {
      // Of four only three are needed; the liar has to be one of them.
      if (id === "p0" && phase === "unmask") throw new Error("gone");
    };
    expect(await group.run()).toMatchObject({ why: "the shares of p1's seed do not fit together" });
    group.remove();
  });

  test.each([["p0"], ["p3"], ["p8"], ["p0", "p8"], ["p1", "p4"]].map((liars) => ({ liars })))(
    "of $liars do not stop a sum that enough others help to unmask",
    async ({ liars }) => {
      const members = membersOf(9).map((member, at) =>
        at === 2 ? { ...member, drops: { phase: "masked" as const, lost: "question" as const } } : member,
      );
      const group = new Group(members, model);
      lie(group, ...liars);
      const outcome = await group.run();
      group.remove();
      if ("why" in outcome) throw new Error(outcome.why);
      expect([...outcome.words]).toEqual(wordsOf(members.filter(({ id }) => id !== "p2")));
    },
  );
});

describe("what a participant remembers", () => {
  const keysOf = (run_id: string) =>
    new Map<string, unknown>(
      Object.entries({
        run_id,
        round: 1,
        attempt: 1,
        participant: "a",
        participants: ["a", "b", "c"],
        threshold: 3,
        clip: 8,
        max_weight: 1,
      }),
    );

  test("is forgotten after a day without a word", () => {
    let now = 0;
    const rounds = new SecureRounds(() => now);
    const first = rounds.keys(keysOf("run"));
    now += 86_399_999;
    expect(rounds.keys(keysOf("run"))).toEqual(first);
    now += 86_400_000;
    expect(rounds.knows("run")).toBe(false);
    expect(rounds.keys(keysOf("run"))).not.toEqual(first);
  });

  test("is the newest round of sixteen runs at most", () => {
    const rounds = new SecureRounds(() => 0);
    for (let run = 0; run < 40; run++) rounds.keys(keysOf(`run-${run}`));
    const known = Array.from({ length: 40 }, (_, run) => run).filter((run) => rounds.knows(`run-${run}`));
    expect(known).toEqual(Array.from({ length: 16 }, (_, at) => at + 24));
  });
});
