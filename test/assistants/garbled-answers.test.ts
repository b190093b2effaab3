import { expect, test } from "bun:test";
import fc from "fast-check";
import { ReadAnswer } from "../../src/assistants/read-answer.ts";
import { GatewayError } from "../../src/contract/errors.ts";
import { readChunk } from "../../src/gateway/interfaces/shared/read-chunk.ts";
import { always, spoiled, tripped } from "../upstreams/hostile.ts";

const chunk = {
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [
    {
      index: 0,
      delta: {
        role: "assistant",
        content: "Hello",
        tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      finish_reason: "tool_calls",
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
};

test("whatever a provider streams, a run reads it or says that the provider is at fault", () => {
  fc.assert(
    fc.property(spoiled(chunk), (given) => {
      const answer = new ReadAnswer();
      try {
        answer.add(readChunk(given));
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(GatewayError);
        expect((thrown as GatewayError).kind).toBe("upstream");
        return;
      }
      expect(typeof answer.text).toBe("string");
      for (const { id, name, arguments: args } of answer.calls) {
        expect([id, name, args].map((part) => typeof part)).toEqual(["string", "string", "string"]);
      }
    }),
    always(tripped(chunk)),
  );
});
