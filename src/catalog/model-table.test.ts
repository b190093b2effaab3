import { describe, expect, test } from "bun:test";
import { ModelTable, pricesAt, TableError } from "./model-table.ts";

const HEAD = { date: "2026-11-19", sources: { litellm: "1.2.3" } };
const tableWith = (models: object) => ModelTable.parse(JSON.stringify({ ...HEAD, models }));

function faultsOf(text: string): readonly string[] {
  try {
    ModelTable.parse(text);
  } catch (thrown) {
    if (thrown instanceof TableError) return thrown.faults;
  }
  return [];
}

describe("a model table", () => {
  test("has its date, and prices with tiers and service tiers", () => {
    const input = { base: 1.25, above: { 200000: 2.5 }, flex: 0.6, priority: { base: 2, above: { 200000: 4 } } };
    const table = tableWith({ "a/b": { context: 8, can: "tools vision", cannot: "pdf", prices: { input } } });
    expect([table.date, table.size, table.sources]).toEqual(["2026-11-19", 1, { litellm: "1.2.3" }]);
    expect(table.find("a", "b")).toMatchObject({
      context: 8,
      output: null,
      can: new Set(["tools", "vision"]),
      cannot: new Set(["pdf"]),
      prices: {
        input: {
          base: 1_250_000_000n,
          tiers: [{ aboveTokens: 200_000, price: 2_500_000_000n }],
          services: { flex: { base: 600_000_000n }, priority: { tiers: [{ price: 4_000_000_000n }] } },
        },
      },
    });
  });

  test("finds a model under the provider that lists it", () => {
    const table = tableWith({ "azure/x": { context: 1 }, "azure_ai/y": { context: 2 }, "openai/ft:x": { context: 3 } });
    expect(table.find("azure_ai", "x")?.context).toBe(1);
    expect(table.find("azure_ai", "y-2031-01-01")?.context).toBe(2);
    expect(table.find("openai", "ft:x:acme::1")?.context).toBe(3);
    expect([table.find("azure", "y"), table.find("constructor", "x"), table.find("__proto__", "x")]).toEqual([
      null,
      null,
      null,
    ]);
    expect(table.names("azure_ai")).toEqual(["y"]);
  });

  test("changes prices on a day, and at hours of some days", () => {
    const night = { hours: ["16:30-00:00", "00:00-00:30"], days: [1, 2, 3, 4, 5], prices: { input: 1 } };
    const model = tableWith({
      "a/b": {
        prices: { input: 2, output: 4, cache_read: 0.5 },
        changes: [night, { from: "2027-01-01", prices: { output: 8 } }],
      },
    }).find("a", "b");
    const at = (time: string) => {
      const prices = model && pricesAt(model, Date.parse(time));
      return [prices?.input?.base, prices?.output?.base, prices?.cache_read?.base];
    };
    const [usual, half] = [2_000_000_000n, 500_000_000n];
    expect(at("2026-11-19T16:29:00Z")).toEqual([usual, 4_000_000_000n, half]);
    // A price for cached input belongs to the price for input that it was stated with.
    expect(at("2026-11-19T16:30:00Z")).toEqual([1_000_000_000n, 4_000_000_000n, undefined]);
    expect(at("2026-11-20T00:29:00Z")).toEqual([1_000_000_000n, 4_000_000_000n, undefined]);
    expect(at("2026-11-21T16:30:00Z")).toEqual([usual, 4_000_000_000n, half]);
    expect(at("2027-01-02T12:00:00Z")).toEqual([usual, 8_000_000_000n, half]);
  });

  test.each([
    ["nothing", "The file is not JSON."],
    ["[]", "The file is not a model table."],
    ['{"models":{"a/b":{}}}', "`date` must be a day"],
    ['{"date":"2026-13-45","models":{"a/b":{}}}', "`date` must be a day"],
    ['{"date":"2026-11-19","models":{}}', "`models` has no entries."],
  ])("%p is refused: %s", (text, message) => {
    expect(faultsOf(text)).toEqual([expect.stringContaining(message)]);
  });

  test.each([
    [{ b: {} }, '"b": the name must be `provider/model`'],
    [{ "a/b": 1 }, '"a/b": must be an object'],
    [{ "a/b": { price: 1 } }, "Unknown field `price`"],
    [{ "a/b": { context: -1 } }, "`context` must be a number of tokens"],
    [{ "a/b": { prices: { input: 0 } } }, "`input` is 0; leave the price out, or state `free: true`"],
    [{ "a/b": { prices: { input: -1 } } }, "`input` must be USD per million units, above 0"],
    [{ "a/b": { prices: { input: "1" } } }, "`input` must be USD per million units, above 0"],
    [{ "a/b": { prices: { input: 9e6 } } }, "more than 8 USD per unit"],
    [{ "a/b": { prices: { input: { base: 1, above: { 100: 0 } } } } }, "`input` is 0"],
    [{ "a/b": { prices: { input: { base: 1, turbo: 2 } } } }, "Unknown field `turbo`"],
    [{ "a/b": { prices: { inputs: 1 } } }, "Unknown price `inputs`"],
    [{ "a/b": { free: true, prices: { input: 1 } } }, "a free model must not have prices"],
    [{ "a/b": { free: 1 } }, "`free` must be true"],
    [{ "a/b": { changes: [{ prices: { input: 1 } }] } }, "a change must have `from`, `hours` or `days`"],
    [{ "a/b": { changes: [{ from: "later", prices: { input: 1 } }] } }, "`from` must be a day"],
    [{ "a/b": { changes: [{ hours: ["1-2"], prices: { input: 1 } }] } }, "`hours` must be ranges"],
    [{ "a/b": { changes: [{ days: [8], prices: { input: 1 } }] } }, "`days` must be numbers"],
    [{ "a/b": { changes: [{ days: [1] }] } }, "a change must have prices"],
  ])("%j is refused", (models, message) => {
    expect(faultsOf(JSON.stringify({ ...HEAD, models })).join("\n")).toContain(message);
  });
});
