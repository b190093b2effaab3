import { expect, test } from "bun:test";
import { tellApart } from "../../web/src/pages/operator-models/tell-apart.ts";

type Told = Parameters<typeof tellApart>[0] extends Iterable<infer One> ? One : never;

const SAME = { group: "g", provider: "openai", model: "m", apiBase: null, region: null, order: null, share: 1 };
const told = (...given: readonly Partial<Told>[]): readonly string[] => [
  ...tellApart(given.map((one, at) => ({ ...SAME, id: `id-${at}`, ...one }))).values(),
];

test("who is alone with a model in its group needs no words", () => {
  expect(told({})).toEqual([]);
  expect(told({}, { model: "n" }, { group: "h" }, { provider: "azure" })).toEqual([]);
});

test("what differs is told, and nothing else", () => {
  expect(told({ region: "eu", order: 1 }, { region: "us", order: 1 })).toEqual(["eu", "us"]);
  expect(told({ region: "eu" }, {})).toEqual(["eu", "no region"]);
  expect(told({ apiBase: "https://a.example.com/v1" }, {})).toEqual(["a.example.com/v1", "the provider's address"]);
  expect(told({ order: 1 }, { order: 2 }, {})).toEqual(["order 1", "order 2", "no order"]);
  expect(told({ region: "eu", order: 1 }, { region: "us", order: 2 })).toEqual(["eu, order 1", "us, order 2"]);
});

test("weights are told where nothing else differs", () => {
  expect(told({ share: 2 }, { share: 100_000 })).toEqual(["weight 2", "weight 100,000"]);
  expect(told({ share: 2, region: "eu" }, { region: "us" })).toEqual(["eu", "us"]);
});

test("where nothing else differs, the ids do", () => {
  expect(told({}, {})).toEqual(["id id-0", "id id-1"]);
  expect(told({ region: "eu" }, { region: "eu" }, { region: "us" })).toEqual(["eu, id id-0", "eu, id id-1", "us"]);
  expect(told({ share: 2 }, {}, {})).toEqual(["id id-0", "id id-1", "id id-2"]);
});

test("of a long id, as much is shown as tells it from the others", () => {
  const ids = ["a".repeat(64), `${"a".repeat(9)}${"b".repeat(55)}`];
  expect(told(...ids.map((id) => ({ id })))).toEqual(["id aaaaaaaaaa…", "id aaaaaaaaab…"]);
});
