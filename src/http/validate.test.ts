import { describe, expect, test } from "bun:test";
import Type from "typebox";
import { ChatRequest } from "../contract/chat.ts";
import { GatewayError } from "../contract/errors.ts";
import { compileReader } from "./validate.ts";

const chat = compileReader("body", ChatRequest);
const good = { model: "echo", messages: [{ role: "user", content: "hi" }] };

function faultsOf(value: unknown): unknown {
  try {
    chat.read(value);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown.faults;
  }
  return [];
}

describe("validation", () => {
  test("passes what is right, with nulls and unknown fields", () => {
    const value = { ...good, temperature: null, n: 2, stop: ["a"], anything: { goes: true } };
    expect(chat.read(value)).toBe(value as never);
  });

  test("a field that an inner object does not have is told once, with those that it has", () => {
    const [fault, ...others] = faultsOf({ ...good, cache: { foo: 1 } }) as { msg: string }[];
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ loc: ["body", "cache", "foo"], type: "extra_forbidden" });
    expect(fault?.msg).toStartWith('There is no field "foo"; there are "no-cache", "no-store", "ttl"');
  });

  test.each([
    ["both required fields", {}, [missing("model"), missing("messages")]],
    [
      "a wrong type",
      { ...good, model: 1 },
      [{ loc: ["body", "model"], msg: "Input should be string", type: "string_type" }],
    ],
    [
      "a nullable field",
      { ...good, n: "x" },
      [{ loc: ["body", "n"], msg: "Input should be integer", type: "int_type" }],
    ],
    ["a bound", { ...good, n: 0 }, [{ loc: ["body", "n"], msg: "Input should be >= 1", type: "greater_than_equal" }]],
    [
      "a union",
      { ...good, stop: 3 },
      [{ loc: ["body", "stop"], msg: "Input should be string or array", type: "type_error" }],
    ],
    [
      "an item of a list",
      { ...good, messages: [{ role: "user" }, { role: "king" }] },
      [
        {
          loc: ["body", "messages", 1, "role"],
          msg: 'Input should be one of "user", "assistant", "tool", "system", "function", "developer"',
          type: "enum",
        },
      ],
    ],
    ["the whole body", [], [{ loc: ["body"], msg: "Input should be object", type: "dict_type" }]],
    [
      "an empty list",
      { ...good, messages: [] },
      [{ loc: ["body", "messages"], msg: "Input should not have fewer than 1 items", type: "too_short" }],
    ],
  ])("names %s", (_, value, faults) => {
    expect(faultsOf(value)).toEqual(faults);
  });

  test("names a fault inside the branch of a union that fits best", () => {
    const reader = compileReader(
      "body",
      Type.Object({ a: Type.Union([Type.String(), Type.Array(Type.Object({ b: Type.String() }))]) }),
    );
    expect(() => reader.read({ a: [{}] })).toThrow("Field required");
  });

  test("names fields that there are not, however many they are", () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`a/${at}`, 1]));
    const faults = faultsOf({ ...good, cache: many }) as { msg: string }[];
    expect(faults).toHaveLength(50);
    expect(faults[0]).toMatchObject({ loc: ["body", "cache", "a/0"], type: "extra_forbidden" });
    expect(faults[0]?.msg).toStartWith('There is no field "a/0"; there are "no-cache", "no-store", "ttl"');
  });

  test("names the unknown field that is probably the missing one", () => {
    const message = "Field required; `mesages` looks like a misspelling of it";
    expect(faultsOf({ model: "echo", mesages: [] })).toEqual([
      { loc: ["body", "messages"], msg: message, type: "missing" },
    ]);
  });

  test("does not answer with thousands of faults", () => {
    expect(faultsOf({ ...good, messages: Array.from({ length: 5_000 }, () => ({})) })).toHaveLength(50);
  });
});

function missing(name: string): object {
  return { loc: ["body", name], msg: "Field required", type: "missing" };
}
