import type { ChatChunk } from "../../../contract/chat.ts";
import { ChatChunks } from "./chat-chunks.ts";

/** Reading stops, and the upstream with it, as soon as the signal says so; it is over when the call is in the books. */
export async function* chunksOf(response: Response, signal: AbortSignal): AsyncGenerator<ChatChunk> {
  const chunks = new ChatChunks(response);
  const leave = () => chunks.close();
  signal.addEventListener("abort", leave);
  try {
    for (;;) {
      const some = await chunks.next();
      signal.throwIfAborted();
      if (some === null) return;
      yield* some;
    }
  } finally {
    signal.removeEventListener("abort", leave);
    await leave();
  }
}
