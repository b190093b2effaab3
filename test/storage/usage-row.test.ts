import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ROW_FIELDS, readUsageRow, usageRow } from "../../src/contract/usage-row.ts";
import { fieldOf, LOG_COLUMNS } from "../../src/storage/usage/log-columns.ts";
import { newCall } from "./new-usage.ts";

describe("the row of a call", () => {
  test("has its values in the order of the log's columns", () => {
    expect(Object.keys(LOG_COLUMNS).map(fieldOf)).toEqual([...ROW_FIELDS, "entryId"]);
  });

  test("is read as it was written", () => {
    // What no database keeps is taken out; the stores' own tests look at that.
    const name = fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(name, fc.bigInt({ min: 0n, max: 2n ** 62n }), fc.nat(), fc.array(name), (text, cost, count, tags) => {
        const call = newCall({
          keyName: text,
          endUser: text,
          userAgent: text,
          tags,
          cost,
          providerCost: -cost,
          promptTokens: count,
          characters: count,
          firstByteMs: count,
          stream: true,
          metadata: { [text]: [text, count, null] },
          costParts: [{ component: "input", thousandths: cost, femtoUsd: 1n, nanoUsd: cost }],
          attempts: [{ deploymentId: text, provider: "p", statusCode: 500, error: text, latencyMs: count }],
        });
        expect(readUsageRow(JSON.parse(usageRow(call)) as unknown[])).toEqual(call);
      }),
    );
  });
});
