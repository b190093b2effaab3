import { describe, expect, test } from "bun:test";
import { costsOf } from "../../web/src/pages/assistants/step-costs.ts";

const run = { model: "large" };
const step = (id: string, prompt_tokens: number, completion_tokens: number) => ({
  id,
  usage: { prompt_tokens, completion_tokens },
});
const call = (promptTokens: number, completionTokens: number, cost: number, changes: object = {}) => ({
  endpoint: "/v1/threads/{thread_id}/runs",
  requestedModel: "large",
  promptTokens,
  completionTokens,
  cost,
  ...changes,
});
const costs = (calls: ReturnType<typeof call>[], steps: ReturnType<typeof step>[]) =>
  Object.fromEntries(costsOf(calls, run, steps));

describe("what the steps of a run have cost", () => {
  test("is what the calls with the same tokens have, whatever their order", () => {
    expect(costs([call(20, 2, 7), call(10, 1, 5)], [step("a", 10, 1), step("b", 20, 2)])).toEqual({ a: 5, b: 7 });
  });

  test("counts each call once", () => {
    expect(costs([call(10, 1, 5)], [step("a", 10, 1), step("b", 10, 1)])).toEqual({ a: 5 });
  });

  test("is never that of another endpoint, another model or a call with other tokens", () => {
    const others = [
      call(10, 1, 5, { endpoint: "/v1/chat/completions" }),
      call(10, 1, 5, { requestedModel: "small" }),
      call(10, 2, 5),
      call(11, 1, 5),
    ];
    expect(costs(others, [step("a", 10, 1)])).toEqual({});
  });
});
