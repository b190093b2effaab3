import { expect, test } from "bun:test";
import fc from "fast-check";
import { packHalf, packInt8, packLargest, unpackHalf, unpackInt8, unpackLargest } from "./compress.ts";

const changes = fc
  .array(fc.float({ noNaN: true, min: -100, max: 100 }), { minLength: 1, maxLength: 3000 })
  .map((values) => Float32Array.from(values));

test("16 bits take half the size and are off by no more than their rounding", () => {
  fc.assert(
    fc.property(changes, (change) => {
      const packed = packHalf(change);
      expect(packed.length).toBe(change.length * 2);
      unpackHalf(packed).forEach((value, at) => {
        const own = change[at] as number;
        expect(Math.abs(value - own)).toBeLessThanOrEqual(Math.abs(own) / 2048 + 3e-8);
      });
    }),
  );
});

test("8 bits take a quarter of the size and are off by no more than half a step", () => {
  fc.assert(
    fc.property(changes, (change) => {
      const packed = packInt8(change);
      expect(packed.length).toBe(change.length + Math.ceil(change.length / 1024) * 4);
      const back = unpackInt8(packed, change.length);
      for (let chunk = 0; chunk * 1024 < change.length; chunk++) {
        const own = change.subarray(chunk * 1024, (chunk + 1) * 1024);
        const step = Math.max(...own.map(Math.abs)) / 127;
        own.forEach((value, at) => {
          expect(Math.abs((back[chunk * 1024 + at] as number) - value)).toBeLessThanOrEqual(step * 0.5001 + 1e-6);
        });
      }
    }),
  );
});

test("what the largest parts leave out is not lost: it comes with the next ones", () => {
  fc.assert(
    fc.property(changes, fc.double({ min: 0.01, max: 1, noNaN: true }), (change, share) => {
      const { bytes, left } = packLargest(change, share);
      const sent = unpackLargest(bytes, change.length);
      expect(bytes.length).toBe(Math.ceil(change.length * share) * 8);
      change.forEach((value, at) => {
        expect((sent[at] as number) + (left[at] as number)).toBe(value + 0);
      });
      const smallestSent = Math.min(...[...sent].filter((value) => value !== 0).map(Math.abs), 1000);
      expect(Math.max(...left.map(Math.abs))).toBeLessThanOrEqual(smallestSent);
    }),
  );
});

test("packed changes that cannot be are refused", () => {
  expect(() => unpackInt8(new Uint8Array(3), 8)).toThrow("length");
  expect(() => unpackLargest(new Uint8Array(12), 8)).toThrow("length");
  expect(() => unpackLargest(Uint8Array.of(9, 0, 0, 0, 0, 0, 0, 0), 8)).toThrow("place");
});
