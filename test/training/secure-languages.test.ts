import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Participant } from "../../sdk/typescript/src/index.ts";
import type { SecurePhase } from "../../src/training/secure/closed.ts";
import { baseOf, Group, type Member, plainWords, sumOf, trainedBy } from "./secure-group.ts";
import { hasPython, startPython } from "./secure-python.ts";

// Three participants in each language, over HTTP, of which one of each drops out: the answer gets lost on its way.

const PHASES: readonly SecurePhase[] = ["keys", "shares", "masked", "unmask"];
const model = baseOf(7);
const members: Member[] = Array.from({ length: 6 }, (_, at) => ({
  id: `p${at}`,
  change: Array.from({ length: 7 }, (_, place) => Math.sin(at * 7 + place) * 9),
  examples: at * 30,
}));
const stops: Array<() => Promise<unknown>> = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

async function startHere({ change, examples }: Member) {
  const participant = new Participant({ log: false, partial: true });
  participant.registerTrain((parameters) => ({
    parameters: trainedBy(parameters as Uint8Array, change).model,
    numExamples: examples,
  }));
  participant.registerDataset("default", []);
  return participant.serve({ host: "127.0.0.1", port: 0 });
}

describe.skipIf(!hasPython)("participants of both languages", () => {
  const started = Promise.all(
    members.map(async (member, at) => {
      const { url, stop } = await (at % 2 === 0
        ? startHere(member)
        : startPython({ change: member.change, examples: member.examples }));
      stops.push(stop);
      return [member.id, url] as const;
    }),
  );

  test.each(["none", ...PHASES] as const)(
    "have the plain sum, bit for bit, when two of six drop out in phase: %s",
    async (phase) => {
      const dropping = members.map((member, at) =>
        phase !== "none" && (at === 1 || at === 4) ? { ...member, drops: { phase, lost: "answer" as const } } : member,
      );
      const group = new Group(dropping, model, new Map(await started));
      const outcome = await group.run();
      if ("why" in outcome) throw new Error(`${outcome.why} ${JSON.stringify(outcome.dropped)}`);
      const summed = dropping.filter(({ drops }) => drops === undefined || drops.phase === "unmask");
      expect(outcome.survivors.map(({ participant }) => participant)).toEqual(summed.map(({ id }) => id));
      expect([...outcome.words]).toEqual([...sumOf(summed.map((member) => plainWords(model, member)))]);
      group.remove();
    },
  );

  test("in Python forget after a day without a word, and know sixteen runs at most", async () => {
    const script = `
from turnpike_participant._secagg.rounds import SecureRounds

now = 0.0
rounds = SecureRounds(lambda: now)

def keys(run_id):
    terms = {"participant": "a", "participants": ["a", "b", "c"], "threshold": 3, "clip": 8, "max_weight": 1}
    return rounds.keys({"run_id": run_id, "round": 1, "attempt": 1, **terms})

first = keys("run")
now = 86399.0
assert keys("run") == first
now += 86400.0
assert not rounds.knows("run")
assert keys("run") != first
for run in range(40):
    keys(f"run-{run}")
print([run for run in range(40) if rounds.knows(f"run-{run}")])
`;
    const env = { ...process.env, PYTHONPATH: join(import.meta.dir, "../../sdk/python"), PYTHONDONTWRITEBYTECODE: "1" };
    const child = Bun.spawn(["python3", "-c", script], { stdout: "pipe", env });
    expect(JSON.parse(await new Response(child.stdout).text())).toEqual(Array.from({ length: 16 }, (_, at) => at + 24));
  });
});
