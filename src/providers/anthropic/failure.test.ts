import { expect, test } from "bun:test";
import failures from "./fixtures/failures.json";
import { anthropic } from "./provider.ts";

for (const { name, status, body, kind } of failures) {
  test(`a failure of the kind ${name} is ${kind}`, () => {
    const classified = anthropic.classify({ status, headers: new Headers(), body });
    expect(classified.kind as string).toBe(kind);
    expect(classified.message).toStartWith("Anthropic");
    expect(classified.message).not.toContain("<");
  });
}

test("what the upstream says about the operator's account stays with the operator", () => {
  const credit = failures.find(({ name }) => name === "credit");
  const { message } = anthropic.classify({ status: 400, headers: new Headers(), body: credit?.body ?? "" });
  expect(message).not.toContain("credit");
});
