import type { Reply } from "./script.ts";

const SERVER_ERROR = {
  error: {
    message: "The server had an error while processing your request. Sorry about that!",
    type: "server_error",
    param: null,
    code: null,
  },
};

/** Events as a stream, cut or failing in the middle where the script says so; each event is a piece of its own. */
export function eventResponse(events: readonly object[], reply: Reply, headers: Record<string, string>): Response {
  const texts = [...events.map((event) => JSON.stringify(event)), "[DONE]"];
  let sent = texts;
  if (reply.errorAfter !== undefined) sent = [...texts.slice(0, reply.errorAfter), JSON.stringify(SERVER_ERROR)];
  else if (reply.cutAfter !== undefined) sent = texts.slice(0, reply.cutAfter);
  const encoder = new TextEncoder();
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const text = sent[next++];
      if (text === undefined) controller.close();
      else controller.enqueue(encoder.encode(`data: ${text}\n\n`));
    },
  });
  return new Response(body, { headers: { ...headers, "content-type": "text/event-stream; charset=utf-8" } });
}
