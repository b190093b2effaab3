import type { ChatChunk } from "../../../contract/chat.ts";
import { isRecord } from "../../../lib/json.ts";
import { readChunk, recordsIn } from "../shared/read-chunk.ts";

/** A whole answer is a stream of one piece. */
export function asChunk(answer: unknown): ChatChunk {
  if (!isRecord(answer) || !Array.isArray(answer.choices)) return readChunk(null);
  const choices = recordsIn(answer.choices).map(({ message, ...choice }) => ({
    ...choice,
    delta: isRecord(message) ? { ...message, tool_calls: numbered(message.tool_calls) } : {},
  }));
  return readChunk({ ...answer, choices });
}

const numbered = (calls: unknown): object[] => recordsIn(calls).map((call, index) => ({ ...call, index }));
