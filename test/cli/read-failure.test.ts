import { describe, expect, test } from "bun:test";
import { inFlags } from "../../src/cli/in-flags.ts";
import { clean } from "../../src/cli/output.ts";
import { refusalOf } from "../../src/cli/read-failure.ts";
import { gatewayErrorBody } from "../../src/contract/error-body.ts";
import { ERRORS, type ErrorKind, type ErrorSpec, GatewayError } from "../../src/contract/errors.ts";
import { dollars, dollarText } from "../../src/contract/money.ts";

const EXITS: Partial<Record<ErrorKind, number>> = {
  invalid_request: 2,
  malformed_body: 2,
  validation: 2,
  content_policy: 2,
  context_window: 2,
  unsupported_params: 2,
  price_unknown: 2,
  authentication: 3,
  permission: 4,
  not_found: 5,
  model_not_found: 5,
  team_blocked: 6,
  rate_limit: 6,
  insufficient_quota: 6,
  budget_exceeded: 6,
  storage_quota: 6,
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

test.each([
  [403, { error: "code: it is wrong.", code: "FORBIDDEN" }, null],
  [409, { error: "This voucher was redeemed already.", code: "VALIDATION_ERROR" }, null],
  [400, { error: "month: it must be such as 2026-11.", code: "VALIDATION_ERROR" }, null],
  [429, { error: "Too many wrong passwords. Try again in 4 seconds.", code: "FORBIDDEN" }, null],
  [403, { error: "This needs the role admin in the organization.", code: "FORBIDDEN" }, "orgs use"],
  [403, { error: "This needs the master key or an administrator's session.", code: "FORBIDDEN" }, "installation"],
  [404, { error: "There is no such voucher, or it has been used or has expired.", code: "NOT_FOUND" }, "code"],
  [429, { error: { message: "Rate limit. Try again in 61 seconds.", code: "rate_limit_exceeded" } }, null],
  [429, { error: { message: "Too fast.", code: "rate_limit_exceeded" } }, "in a moment"],
  [402, { error: "The credit is used up.", code: "QUOTA_EXCEEDED" }, "credits buy"],
  [402, { error: "The budget of the key is spent.", code: "QUOTA_EXCEEDED" }, "keys show"],
  [429, { error: { message: "The budget is spent.", code: "budget_exceeded" } }, "keys show"],
  [404, { error: "You are not a member of any organization; make one.", code: "NOT_FOUND" }, "orgs create"],
  // Only the command knows which one shows what there is: hints.test.ts.
  [404, { error: "There is no such team.", code: "NOT_FOUND" }, null],
  [404, { error: "That month has not begun yet.", code: "NOT_FOUND" }, null],
])("%i %j gets the hint that fits what was refused, or none", (status, body, hint) => {
  const told = refusalOf(status, body, null).hint;
  if (hint === null) expect(told).toBeNull();
  else expect(told).toContain(hint);
});

test("money is shown in one style", () => {
  const shown = [0n, 12_500_000_000n, -100_000_000n, 1n, 1_234_567_890n].map(dollars);
  expect(shown).toEqual(["$0.00", "$12.50", "-$0.10", "$0.000000001", "$1.23456789"]);
  expect(["0", "12.5", "-0.1", "3", "1.230"].map(dollarText)).toEqual(["$0.00", "$12.50", "-$0.10", "$3.00", "$1.23"]);
});

test("the gateway's faults of a body are named", () => {
  const detail = [{ loc: ["body", "model"], msg: "Field required", type: "missing" }];
  const body = { detail, error: { message: "model: Field required", code: "validation_error" } };
  expect(refusalOf(422, body, null)).toMatchObject({ message: "model: Field required", code: "VALIDATION_ERROR" });
});

test("an answer that says nothing is told by its status", () => {
  expect(refusalOf(502, null, null)).toMatchObject({ exit: 1, message: "The server answered 502." });
});

test("other people's names cannot steer a terminal", () => {
  expect(clean("red\u001b[2J\r\n\u202eteam")).toBe("red [2J   team");
});

test.each([
  ["expiresAt: it lies in the past.", "--expires: it lies in the past."],
  ["amountUsd: it must be an amount.", "the amount: it must be an amount."],
  ["rpmLimit: Input should be integer; name: Field required", "--rpm: Input should be integer; name: Field required"],
  ["`startDate` lies after `endDate`.", "--from lies after --to."],
  ["The model `echo` is not known: it is gone.", "The model `echo` is not known: it is gone."],
])("%s names what was typed", (message, told) => {
  expect(inFlags(message)).toBe(told);
});
