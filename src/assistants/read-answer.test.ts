import { describe, expect, test } from "bun:test";
import type { ChatChunk, ToolCallDelta } from "../contract/chat.ts";
import { GatewayError } from "../contract/errors.ts";
import { ReadAnswer } from "./read-answer.ts";

const calling = (...tool_calls: unknown[]): ChatChunk => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 0,
  model: "m",
  choices: [{ index: 0, delta: { tool_calls: tool_calls as ToolCallDelta[] }, finish_reason: null }],
});

describe("tool calls of a provider that is careless", () => {
  test("have ids of their own where it gives none, or one twice, and the reader hears of them", () => {
    const answer = new ReadAnswer();
    const { calls } = answer.add(
      calling(
        { index: 0, id: "call_0", function: { name: "a", arguments: "" } },
        { index: 1, id: "call_0", function: { name: "b", arguments: "" } },
        { index: 2, function: { name: "c", arguments: "" } },
      ),
    );
    expect(new Set(answer.calls.map(({ id }) => id)).size).toBe(3);
    expect(answer.calls[0]?.id).toBe("call_0");
    expect(calls.map(({ id }) => id)).toEqual(answer.calls.map(({ id }) => id));
    expect(answer.add(calling({ index: 1, id: "call_0", function: { arguments: "{}" } })).calls).toEqual([
      { index: 1, function: { arguments: "{}" } },
    ]);
    expect(answer.calls[1]).toMatchObject({ name: "b", arguments: "{}" });
  });

  test("are told apart by their ids where it says no place", () => {
    const answer = new ReadAnswer();
    answer.add(calling({ id: "x", function: { name: "a", arguments: "{" } }));
    answer.add(calling({ function: { arguments: "}" } }));
    answer.add(calling({ id: "y", function: { name: "b", arguments: "{}" } }));
    expect(answer.calls).toEqual([
      { id: "x", name: "a", arguments: "{}" },
      { id: "y", name: "b", arguments: "{}" },
    ]);
  });

  test.each([-1, 1.5, 4_000_000_000, "0"])("are refused at the place %p", (index) => {
    expect(() => new ReadAnswer().add(calling({ index, id: "x", function: { name: "a" } }))).toThrow(GatewayError);
  });
});
