import { afterAll, describe, expect, test } from "bun:test";
import { float32, Participant, readSafetensors, writeSafetensors } from "../../sdk/typescript/src/index.ts";
import { modelOf, startSmall, valuesOf } from "./small-participants.ts";
import { trainingRuns } from "./start-run.ts";

const runs = trainingRuns();
const started: Array<{ stop(): unknown }> = [];
afterAll(async () => {
  await Promise.all(started.map((one) => one.stop()));
  runs.clean();
});

const COUNT = 5000;
const zeros = writeSafetensors(new Map([["w", float32(new Float32Array(COUNT))]]));
const numbersOf = (bytes: Uint8Array) =>
  new Float32Array(Uint8Array.from(readSafetensors(Uint8Array.from(bytes)).get("w")?.bytes ?? []).buffer);

/** Moves every number a part of the way to its own goal. */
async function startLong(id: string, at: number) {
  return startSmall(id, at, (parameters) => {
    const values = numbersOf(parameters ?? zeros);
    const moved = values.map((value, place) => value + 0.5 * (Math.sin(at * 7 + place) - value));
    return { parameters: writeSafetensors(new Map([["w", float32(moved)]])), numExamples: at + 1 };
  });
}

describe("packed updates", () => {
  const settings = [
    { compression: "f16", share: 0.55, off: 1e-3 },
    { compression: "int8", share: 0.3, off: 1e-2 },
    { compression: { top_k: 0.2 }, share: 0.45, off: 0.5 },
  ];

  test.each(settings)(
    "$compression: less is sent, the report says so, and the model is nearly the same",
    async (one) => {
      const participants = await Promise.all([0, 1, 2].map((at) => startLong(`p${at}`, at)));
      started.push(...participants);
      const more = { rounds: 8, evaluation: { every: 100, participants: 1 } };
      const plain = await runs.begin(participants, more, { initial: zeros }).outcome;
      const packed = await runs.begin(participants, { ...more, compression: one.compression }, { initial: zeros })
        .outcome;
      expect(packed.paused).toBeNull();
      for (const { replies, savedBytes = 0 } of packed.rounds) {
        const bytes = replies.reduce((sum, reply) => sum + reply.bytes, 0);
        expect(replies.every((reply) => reply.packed !== undefined)).toBe(true);
        expect(bytes).toBeLessThan(one.share * 3 * zeros.length);
        expect(bytes + savedBytes).toBe(3 * zeros.length);
      }
      const [exact, near] = [numbersOf(plain.model ?? zeros), numbersOf(packed.model ?? zeros)];
      const off = Math.max(...exact.map((value, at) => Math.abs(value - (near[at] as number))));
      expect(off).toBeLessThan(one.off);
      expect(plain.rounds[0]?.savedBytes).toBeUndefined();
    },
  );

  test("who does not know them sends the whole model, and both count", async () => {
    const knowing = await startSmall("a", 1);
    const plain = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(modelOf([1, 2, 3]), { headers: { "x-turnpike-num-examples": "2" } }),
    });
    started.push(knowing, plain);
    const participants = [knowing, { id: "b", url: plain.url.href }];
    const { rounds } = await runs.begin(
      participants,
      { rounds: 1, compression: "f16", evaluation: { every: 9 } },
      {
        initial: modelOf([0, 0, 0]),
      },
    ).outcome;
    expect(rounds[0]?.replies.map(({ participant, packed, counted }) => [participant, packed, counted])).toEqual([
      ["a", "f16", true],
      ["b", undefined, true],
    ]);
  });

  test("packed bytes that cannot be are left out with the reason", async () => {
    const wrong = writeSafetensors(new Map([["delta.f16", { dtype: "F16", shape: [2], bytes: new Uint8Array(4) }]]));
    const participants = await Promise.all([startSmall("a", 1), startSmall("b", 1, () => wrong)]);
    started.push(...participants);
    const { rounds } = await runs.begin(participants, { rounds: 1, quorum: 1 }, { initial: modelOf([0, 0, 0]) })
      .outcome;
    expect(rounds[0]?.dropped).toEqual([
      { participant: "b", reason: "the packed change has not the length of the model" },
    ]);
  });
});

describe("bare floats", () => {
  const bare = (...values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

  async function startBare(id: string, values: number[], shape?: number[]) {
    const participant = new Participant({ name: id, log: false, partial: true, ...(shape ? { shape } : {}) });
    participant.registerTrain((parameters) => ({
      parameters: bare(
        ...values.map(
          (value, at) => value + (new Float32Array((parameters ?? bare(0, 0, 0, 0)).slice().buffer)[at] ?? 0),
        ),
      ),
      numExamples: 1,
    }));
    participant.registerEvaluate(() => 1);
    participant.registerDataset("default", []);
    const listener = await participant.serve({ host: "127.0.0.1", port: 0 });
    started.push(listener);
    return { id, url: listener.url };
  }

  test.each([{ shape: [2, 2] }, {}])("are averaged with a shape of the plan or of /info: %p", async (known) => {
    const participants = [await startBare("a", [1, 2, 3, 4], [2, 2]), await startBare("b", [3, 2, 1, 0])];
    const { model, paused } = await runs.begin(participants, { rounds: 2, format: "f32le", ...known }).outcome;
    expect(paused).toBeNull();
    expect([...new Float32Array(Uint8Array.from(model ?? []).buffer)]).toEqual([4, 4, 4, 4]);
  });

  test("of another length are left out, and without a shape nothing begins", async () => {
    const participants = [await startBare("a", [1, 2, 3, 4]), await startBare("b", [1, 2, 3])];
    const { rounds } = await runs.begin(participants, { rounds: 1, quorum: 1, shape: [4] }).outcome;
    expect(rounds[0]?.dropped[0]?.reason).toBe("bare floats of [4] are 16 bytes, not 12");
    const { paused } = await runs.begin(participants, { rounds: 1, format: "f32le" }).outcome;
    expect(paused).toBe("nobody told the shape in /info");
  });
});

test("models in other formats are averaged from their files too", async () => {
  const half = (bits: number) =>
    writeSafetensors(
      new Map([
        ["n", { dtype: "I32" as const, shape: [1], bytes: Uint8Array.of(9, 0, 0, 0) }],
        ["h", { dtype: "F16" as const, shape: [1], bytes: Uint8Array.of(0, bits) }],
        ["w", float32([bits])],
      ]),
    );
  const participants = await Promise.all([startSmall("a", 0, () => half(0x3c)), startSmall("b", 0, () => half(0x40))]);
  started.push(...participants);
  const { model } = await runs.begin(participants, { rounds: 1, evaluation: { every: 9 } }).outcome;
  const tensors = readSafetensors(Uint8Array.from(model ?? []));
  expect([...(tensors.get("h")?.bytes ?? [])]).toEqual([0, 0x3e]);
  expect([...(tensors.get("n")?.bytes ?? [])]).toEqual([9, 0, 0, 0]);
  expect(valuesOf(model ?? new Uint8Array())).toEqual([62]);
});
