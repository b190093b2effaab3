import { expect, test } from "bun:test";
import Type from "typebox";
import type { GatewayError } from "../contract/errors.ts";
import { nullable } from "../contract/schema.ts";
import { coerceQuery } from "./query.ts";

const schema = Type.Object({
  flag: nullable(Type.Boolean()),
  page: Type.Optional(Type.Integer()),
  name: Type.Optional(Type.String()),
  many: Type.Optional(Type.Array(Type.String())),
  teamId: Type.Optional(Type.String()),
  pageSize: Type.Optional(Type.Integer()),
  page_size: Type.Optional(Type.Integer()),
  cursor: Type.Optional(Type.String({ minLength: 0 })),
});

test.each([
  ["flag=true", { flag: true }],
  ["flag=False", { flag: false }],
  ["flag=", {}],
  ["flag=null", { flag: null }],
  ["page=&name=&many=&team_id=", {}],
  ["many=&many=b", { many: ["b"] }],
  ["cursor=", { cursor: "" }],
  ["flag=maybe", { flag: "maybe" }],
  ["page=3", { page: 3 }],
  ["page=1e9", { page: "1e9" }],
  ["page=-1", { page: -1 }],
  ["name=3", { name: "3" }],
  ["many=a&many=b", { many: ["a", "b"] }],
  ["other=1", {}],
  ["team_id=a", { teamId: "a" }],
  ["team_id=a&teamId=a", { teamId: "a" }],
  ["team_id=&teamId=b", { teamId: "b" }],
  ["page=&page=2&page=2&page=02", { page: 2 }],
  ["flag=true&flag=1", { flag: true }],
  ["page_size=2", { page_size: 2 }],
])("%s is read as the schema means it", (query, expected) => {
  expect(coerceQuery(schema, new URLSearchParams(query))).toEqual(expected);
});

test.each([
  ["page=1&page=2", ["page"]],
  ["name=a&name=b&page=1&page=x", ["page", "name"]],
  ["team_id=a&teamId=b", ["teamId"]],
  ["cursor=&cursor=b", ["cursor"]],
])("%s says two things where there is one, and is refused by name", (query, names) => {
  try {
    coerceQuery(schema, new URLSearchParams(query));
    expect.unreachable();
  } catch (thrown) {
    const { kind, faults } = thrown as GatewayError;
    expect([kind, ...faults.map(({ loc }) => loc.join("."))]).toEqual([
      "validation",
      ...names.map((one) => `query.${one}`),
    ]);
  }
});
