import { expect, test } from "bun:test";
import fc from "fast-check";
import { HashTable } from "./hash-table.ts";

test("places are found by their hashes, however these collide, until they are removed", () => {
  const steps = fc.array(fc.record({ hash: fc.integer({ min: -3, max: 12 }), add: fc.boolean() }), { maxLength: 300 });
  fc.assert(
    fc.property(steps, (list) => {
      const table = new HashTable(10);
      const model: { hash: number; place: number }[] = [];
      for (const [place, { hash, add }] of list.entries()) {
        const known = model.findIndex((entry) => entry.hash === hash);
        if (add && model.length < 10) {
          table.add(hash, place);
          model.push({ hash, place });
        } else if (!add) {
          const [gone] = known < 0 ? [] : model.splice(known, 1);
          expect(table.remove(hash, gone?.place ?? place)).toBe(gone !== undefined);
        }
        expect(table.size).toBe(model.length);
        for (let each = -3; each <= 12; each++) {
          const found: number[] = [];
          for (let slot = table.slotOf(each); slot >= 0; slot = table.slotOf(each, slot))
            found.push(table.placeAt(slot));
          const expected = model.filter((entry) => entry.hash === each).map((entry) => entry.place);
          expect(found.sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b));
        }
      }
    }),
  );
});
