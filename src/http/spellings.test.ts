import { expect, test } from "bun:test";
import Type from "typebox";
import type { GatewayError } from "../contract/errors.ts";
import { rejectConflictingFields, snakeName, spellingsOf } from "./spellings.ts";

const Any = Type.Optional(Type.Unknown());
const spellings = spellingsOf(
  Type.Object({ teamId: Any, team_id: Any, onlyCamel: Any, a: Any, isIt: Any, is_it: Any }),
);

const faultsOf = (value: unknown): readonly unknown[] => {
  try {
    rejectConflictingFields("body", spellings, value);
    return [];
  } catch (thrown) {
    return (thrown as GatewayError).faults.map(({ loc }) => loc.join("."));
  }
};

test("only fields that a schema has in both spellings are compared", () => {
  expect(spellings).toEqual([
    ["teamId", "team_id"],
    ["isIt", "is_it"],
  ]);
  expect(snakeName("rotationGraceSeconds")).toBe("rotation_grace_seconds");
});

test.each([
  [{ teamId: 1, team_id: 1 }, []],
  [{ teamId: 1 }, []],
  [{ team_id: null }, []],
  [{ teamId: { a: 1, b: [2] }, team_id: { b: [2], a: 1 } }, []],
  [{ onlyCamel: 1, only_camel: 2 }, []],
  [{ teamId: null, team_id: 1 }, ["body.teamId"]],
  [{ teamId: [1], team_id: [1, 2], isIt: true, is_it: false }, ["body.teamId", "body.isIt"]],
  ["text", []],
])("%j contradicts itself in %j", (value, expected) => {
  expect(faultsOf(value)).toEqual(expected);
});
