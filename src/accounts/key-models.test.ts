import { expect, test } from "bun:test";
import fc from "fast-check";
import { findOutside } from "./key-models.ts";

/** As the gateway decides it. */
const allows = (list: readonly string[], name: string): boolean =>
  list.length === 0 || list.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : one === name));

const name = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 4 });
const list = fc.array(
  fc.tuple(name, fc.constantFrom("", "*")).map(([text, star]) => text + star),
  { maxLength: 4 },
);

test("a list without a name outside the team's never allows more than the team's", () => {
  fc.assert(
    fc.property(list, list, name, (key, team, model) => {
      fc.pre(key.length > 0 && findOutside(key, team) === null && allows(key, model));
      expect(allows(team, model)).toBe(true);
    }),
  );
});

test("the name that is outside is told", () => {
  expect(findOutside(["openai/gpt-4o", "other"], ["openai/*"])).toBe("other");
  expect(findOutside(["openai/*"], ["openai/gpt-4o"])).toBe("openai/*");
  expect(findOutside(["openai/gpt-*"], ["openai/*"])).toBeNull();
  expect(findOutside(["anything"], [])).toBeNull();
});

test("an access group stands for the groups in it, on both sides", () => {
  const membersOf = (name: string) => (name === "beta" ? ["fast", "slow"] : []);
  expect(findOutside(["fast"], ["beta"], membersOf)).toBeNull();
  expect(findOutside(["beta"], ["beta"], membersOf)).toBeNull();
  expect(findOutside(["beta"], ["fast", "slow"], membersOf)).toBeNull();
  expect(findOutside(["beta"], ["fast"], membersOf)).toBe("beta");
  expect(findOutside(["all-team-models", "no-default-models"], ["fast"], membersOf)).toBeNull();
  expect(findOutside(["anything"], ["all-proxy-models"], membersOf)).toBeNull();
});
