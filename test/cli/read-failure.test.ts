import { describe, expect, test } from "bun:test";
import { clean } from "../../src/cli/output.ts";
import { refusalOf } from "../../src/cli/read-failure.ts";
import { gatewayErrorBody } from "../../src/contract/error-body.ts";
import { ERRORS, type ErrorKind, type ErrorSpec, GatewayError } from "../../src/contract/errors.ts";

const EXITS: Partial<Record<ErrorKind, number>> = {
  authentication: 3,
  permission: 4,
  not_found: 5,
  model_not_found: 5,
  team_blocked: 6,
  rate_limit: 6,
  insufficient_quota: 6,
  budget_exceeded: 6,
  timeout: 7,
  database: 7,
};

describe("every error of the server's table ends with the same exit code on both of its sides", () => {
  test.each(Object.entries(ERRORS) as [ErrorKind, ErrorSpec][])("%s", (kind, spec) => {
    const gateway = refusalOf(spec.status, gatewayErrorBody(new GatewayError(kind, "why")), "id");
    const body = { error: "why", code: spec.management };
    const platform = refusalOf(spec.managementStatus ?? spec.status, body, "id");
    const exit = EXITS[kind] ?? 1;
    for (const refusal of [gateway, platform]) {
      expect([refusal.exit, refusal.message, refusal.requestId]).toEqual([exit as 1, "why", "id"]);
    }
  });
});

test("the gateway's faults of a body are named", () => {
  const body = { detail: [{ loc: ["body", "model"], msg: "Field required", type: "missing" }] };
  expect(refusalOf(422, body, null).message).toBe("model: Field required");
});

test("an answer that says nothing is told by its status", () => {
  expect(refusalOf(502, null, null)).toMatchObject({ exit: 1, message: "The server answered 502." });
});

test("other people's names cannot steer a terminal", () => {
  expect(clean("red\u001b[2J\r\n\u202eteam")).toBe("red [2J   team");
});
