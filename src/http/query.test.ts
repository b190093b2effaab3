import { expect, test } from "bun:test";
import Type from "typebox";
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
  ["team_id=a&teamId=b", { teamId: "b" }],
  ["page_size=2", { page_size: 2 }],
])("%s is read as the schema means it", (query, expected) => {
  expect(coerceQuery(schema, new URLSearchParams(query))).toEqual(expected);
});
