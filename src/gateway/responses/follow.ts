import type { BackgroundResponses } from "../../assistants/background-responses.ts";
import type { KeptResponses } from "../../assistants/kept-responses.ts";
import type { Owner } from "../../contract/cursor.ts";
import type { InferenceCall } from "../deps.ts";
import { STREAM_HEADERS } from "../stream-body.ts";
import { replay } from "./replay.ts";

interface FollowDeps {
  readonly kept: KeptResponses;
  readonly background: BackgroundResponses;
}

const encoder = new TextEncoder();

/**
 * A response as events, those behind a number. What runs in the background is told as it happens, wherever it is carried out,
 * with the numbers that it has for everybody; a reader that leaves does not end it.
 */
export async function follow(
  deps: FollowDeps,
  owner: Owner,
  id: string,
  after: number,
  connection: InferenceCall["connection"],
): Promise<Response> {
  const { kept, background } = deps;
  // Asked first: of what is at its end, the answer is the last one.
  const work = await background.find(id);
  const { answer } = await kept.get(owner, id);
  let isLeft = false;
  const isTold = work !== null && work.told > 0;
  const events = async function* (): AsyncGenerator<string, void> {
    let last = after;
    for (;;) {
      const told = work && (await background.eventsAfter(id, last, () => isLeft));
      if (!told) break;
      last = told.last;
      yield told.text;
    }
    // One that was not asked for as a stream is told when it is whole.
    if (!isTold && !isLeft) yield* replay(work ? (await kept.get(owner, id)).answer : answer, after);
  };
  return eventStream(events(), connection, () => {
    isLeft = true;
  });
}

/** Pulled one by one: the events of a kept answer say a long text several times over. */
function eventStream(
  events: AsyncGenerator<string, void>,
  connection: InferenceCall["connection"],
  leave: () => void,
): Response {
  connection.keepOpen();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next();
      if (!done) return controller.enqueue(encoder.encode(value));
      connection.release();
      controller.close();
    },
    cancel() {
      leave();
      connection.release();
    },
  });
  return new Response(body, { headers: STREAM_HEADERS });
}
