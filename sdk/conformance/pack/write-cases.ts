// `bun sdk/conformance/pack/write-cases.ts` writes ../pack.json: what participants answer who are asked to pack their updates.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { float32, type PackForm, packUpdate, type Tensor, writeSafetensors } from "../../typescript/src/index.ts";

const COUNT = 1500;
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
const row = (of: (at: number) => number) => float32(Float32Array.from({ length: COUNT }, (_, at) => of(at)));
const steps = (count: number): Tensor => ({ dtype: "I32", shape: [1], bytes: Uint8Array.of(count, 0, 0, 0) });
const halves: Tensor = { dtype: "F16", shape: [2], bytes: Uint8Array.of(0, 0x3c, 0, 0xc0) };
const model = (values: Tensor, count = 7) =>
  writeSafetensors(
    new Map([
      ["w", values],
      ["steps", steps(count)],
      ["h", halves],
    ]),
  );

const before = model(row((at) => Math.sin(at)));
const after = model(row((at) => Math.sin(at) + Math.cos(at * 7) * (at % 5 === 0 ? 1e-9 : 0.01)));
const equal = model(row((at) => Math.sin(at) + (at % 3 === 0 ? 0.5 : -0.5)));
const huge = model(row((at) => (at === 3 ? 1e6 : at === 4 ? -1e38 : Math.sin(at))));
const notFinite = model(row((at) => (at === 9 ? Number.NaN : 0)));
const counted = model(
  row((at) => Math.sin(at)),
  8,
);
const opaque = Buffer.from("whatever this is");

const ask = (trained: Uint8Array, pack: unknown, parameters: Uint8Array | null, more = {}) => ({
  method: "POST",
  path: "/train",
  json: {
    parameters: parameters === null ? null : base64(parameters),
    dataset: { do: "become", base64: base64(trained) },
    config: { pack },
    ...more,
  },
});
const answer = (bytes: Uint8Array) => ({ status: 200, json: { parameters: base64(bytes) } });
const packed = (trained: Uint8Array, form: PackForm, left: Float32Array | null = null) => {
  const update = packUpdate(before, trained, form, left);
  if (update === null) throw new Error("it cannot be packed");
  return update;
};

const HALF = { form: "f16" } as const;
const INT8 = { form: "int8" } as const;
const TENTH = { form: "top_k", share: 0.1 } as const;
const round = (number: number) => ({ run_id: "packed", round: number });
const lost = (number: number) => ({ run_id: "lost", round: number });
const first = packed(after, TENTH);
const second = packed(equal, TENTH, first.left);
const third = packed(equal, TENTH);

const plain = (name: string, trained: Uint8Array, form: PackForm) => ({
  name,
  request: ask(trained, form, before),
  response: answer(packed(trained, form).parameters),
});
const whole = (name: string, trained: Uint8Array, pack: unknown, parameters: Uint8Array | null = before) => ({
  name,
  request: ask(trained, pack, parameters),
  response: answer(trained),
});

const file = {
  about: "updates that are packed",
  participant: {},
  cases: [
    plain("halves", after, HALF),
    plain("halves that are too large are as large as they can be", huge, HALF),
    plain("bytes", after, INT8),
    plain("bytes of very different sizes", huge, INT8),
    plain("nothing changed", before, INT8),
    plain("the largest tenth", after, TENTH),
    plain("of equally large ones the first", equal, TENTH),
    plain("all of it", after, { form: "top_k", share: 1 }),
    plain("one at least", after, { form: "top_k", share: 1e-9 }),
    {
      name: "what was left out comes with the next update of the run",
      steps: [
        { request: ask(after, TENTH, before, round(1)), response: answer(first.parameters) },
        { request: ask(after, TENTH, before, round(1)), response: answer(first.parameters) },
        { request: ask(equal, TENTH, before, round(2)), response: answer(second.parameters) },
        { request: ask(equal, TENTH, before, { run_id: "another", round: 1 }), response: answer(third.parameters) },
      ],
    },
    {
      name: "what was left out comes once, also where the answer was lost or the run begins anew",
      steps: [
        { request: ask(after, TENTH, before, lost(1)), response: answer(first.parameters) },
        // The participant remembers the last answer alone: this one makes it forget that of the run.
        { request: ask(after, null, before, { run_id: "between", round: 1 }), response: answer(after) },
        { request: ask(after, TENTH, before, lost(1)), response: answer(first.parameters) },
        { request: ask(equal, TENTH, before, lost(2)), response: answer(second.parameters) },
        { request: ask(equal, TENTH, before, lost(1)), response: answer(third.parameters) },
      ],
    },
    whole("a form that is not known", after, { form: "zip" }),
    whole("a share that cannot be", after, { form: "top_k", share: 0 }),
    whole("a share that is no number", after, { form: "top_k", share: "all" }),
    whole("a wish that is none", after, "int8"),
    whole("parameters that are not read here", opaque, INT8),
    whole("a model that is not read here", after, INT8, opaque),
    whole("nothing to begin with", after, INT8, null),
    whole("numbers that are not finite", notFinite, INT8),
    whole("integers that changed", counted, INT8),
  ],
};
writeFileSync(join(import.meta.dir, "../pack.json"), `${JSON.stringify(file, null, 2)}\n`);
