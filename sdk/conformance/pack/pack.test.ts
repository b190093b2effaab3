import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  FormatError,
  float32,
  type PackForm,
  packUpdate,
  readPacked,
  readSafetensors,
  type Tensors,
  writeSafetensors,
} from "../../typescript/src/index.ts";

const changes = fc
  .array(fc.float({ noNaN: true, min: -100, max: 100 }), { minLength: 1, maxLength: 3000 })
  .map((values) => Float32Array.from(values, (value) => value + 0));
const modelOf = (values: Float32Array) => writeSafetensors(new Map([["w", float32(values)]]));

/** What arrives of a change, read in blocks, and how many bytes were sent. */
function sent(change: Float32Array, form: PackForm, left: Float32Array | null = null) {
  const update = packUpdate(modelOf(new Float32Array(change.length)), modelOf(change), form, left);
  if (update === null) throw new Error("it cannot be packed");
  const packed = readPacked(readSafetensors(update.parameters), change.length);
  const values = new Float32Array(change.length);
  for (let at = 0; at < change.length; at += 700) packed?.add(at, values.subarray(at, at + 700));
  return { values, left: update.left, bytes: update.parameters.length };
}

test("16 bits take half the size and are off by no more than their rounding", () => {
  fc.assert(
    fc.property(changes, (change) => {
      const { values, bytes } = sent(change, { form: "f16" });
      expect(bytes).toBeLessThanOrEqual(change.length * 2 + 100);
      values.forEach((value, at) => {
        const own = change[at] as number;
        expect(Math.abs(value - own)).toBeLessThanOrEqual(Math.abs(own) / 2048 + 3e-8);
      });
    }),
  );
});

test("8 bits take a quarter of the size and are off by no more than half a step", () => {
  fc.assert(
    fc.property(changes, (change) => {
      const { values, bytes } = sent(change, { form: "int8" });
      expect(bytes).toBeLessThanOrEqual(change.length + Math.ceil(change.length / 1024) * 4 + 170);
      for (let chunk = 0; chunk * 1024 < change.length; chunk++) {
        const own = change.subarray(chunk * 1024, (chunk + 1) * 1024);
        const step = Math.max(...own.map(Math.abs)) / 127;
        own.forEach((value, at) => {
          expect(Math.abs((values[chunk * 1024 + at] as number) - value)).toBeLessThanOrEqual(step * 0.5001 + 1e-6);
        });
      }
    }),
  );
});

test("what the largest parts leave out is not lost: it comes with the next ones", () => {
  fc.assert(
    fc.property(changes, fc.double({ min: 0.01, max: 1, noNaN: true }), (change, share) => {
      const { values, left } = sent(change, { form: "top_k", share });
      change.forEach((value, at) => {
        expect((values[at] as number) + (left?.[at] as number)).toBe(value);
      });
      const smallestSent = Math.min(...[...values].filter((value) => value !== 0).map(Math.abs), 1000);
      expect(Math.max(...(left ?? []).map(Math.abs))).toBeLessThanOrEqual(smallestSent);
      const again = sent(new Float32Array(change.length), { form: "top_k", share: 1 }, left);
      expect(again.values).toEqual((left ?? change).map((value) => value + 0));
    }),
  );
});

test("packed changes that cannot be are refused", () => {
  const tensors = (entries: Record<string, [string, Uint8Array, number]>): Tensors =>
    new Map(
      Object.entries(entries).map(([name, [dtype, bytes, count]]) => [name, { dtype, bytes, shape: [count] } as never]),
    );
  const places = (...list: number[]) =>
    ["U32", new Uint8Array(Uint32Array.from(list).buffer), list.length] as [string, Uint8Array, number];
  const floats = (count: number): [string, Uint8Array, number] => ["F32", new Uint8Array(count * 4), count];
  const refused = (given: Tensors) => {
    try {
      return readPacked(given, 8);
    } catch (thrown) {
      return thrown instanceof FormatError ? thrown.message : thrown;
    }
  };
  expect(refused(tensors({ "delta.f16": ["F16", new Uint8Array(6), 3] }))).toContain("length of the model");
  expect(refused(tensors({ "delta.int8": ["I8", new Uint8Array(3), 3], "delta.scales": floats(1) }))).toContain(
    "length",
  );
  expect(refused(tensors({ "delta.places": places(9), "delta.values": floats(1) }))).toContain("place that cannot be");
  expect(refused(tensors({ "delta.places": places(2, 2), "delta.values": floats(2) }))).toContain(
    "place that cannot be",
  );
  expect(refused(tensors({ "delta.places": places(2), "delta.values": floats(2) }))).toContain("as many values");
  expect(refused(tensors({ w: floats(8) }))).toBeNull();
});
