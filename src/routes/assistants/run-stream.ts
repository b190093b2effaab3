import { RunWatch } from "../../assistants/run-events.ts";
import { STREAM_HEADERS } from "../../gateway/streaming/write-stream.ts";
import type { Connection } from "../../http/route.ts";
import { sseEvent } from "../../lib/sse.ts";
import { eventWire } from "./run-wire.ts";

const encoder = new TextEncoder();
const frame = (name: string, data: string): Uint8Array => encoder.encode(sseEvent(name, data));

/**
 * The events of a run as they happen. What makes the run fails before the answer begins, so that a refusal is a plain one;
 * a reader that leaves does not end the run.
 */
export async function streamRun(
  connection: Connection,
  begin: (watch: RunWatch) => Promise<unknown>,
): Promise<Response> {
  const watch = new RunWatch();
  await begin(watch);
  connection.keepOpen();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const event = await watch.next();
      if (event) {
        const { name, data } = eventWire(event);
        return controller.enqueue(frame(name, JSON.stringify(data)));
      }
      connection.release();
      controller.enqueue(frame("done", "[DONE]"));
      controller.close();
    },
    cancel() {
      watch.leave();
      connection.release();
    },
  });
  return new Response(body, { headers: STREAM_HEADERS });
}
