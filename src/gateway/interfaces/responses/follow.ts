import type { BackgroundResponses } from "../../../assistants/background-responses.ts";
import type { KeptResponses } from "../../../assistants/kept-responses.ts";
import type { Owner } from "../../../contract/cursor.ts";
import { isDatabaseAway } from "../../../contract/database-away.ts";
import { retryUntil } from "../../../lib/retry-until.ts";
import type { InferenceCall } from "../../call/gateway.ts";
import { STREAM_HEADERS } from "../../streaming/write-stream.ts";
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
  const left = new AbortController();
  // A reader waits for a database that is away, as it does for the model: what was told goes on where it was.
  const whenBack = <T>(work: () => Promise<T>): Promise<T> => retryUntil(work, isDatabaseAway, left.signal);
  const isTold = work !== null && work.told > 0;
  const events = async function* (): AsyncGenerator<string, void> {
    let last = after;
    for (;;) {
      const told = work && (await whenBack(() => background.eventsAfter(id, last, () => left.signal.aborted)));
      if (!told) break;
      last = told.last;
      yield told.text;
    }
    // One that was not asked for as a stream is told when it is whole.
    if (isTold || left.signal.aborted) return;
    yield* replay(work ? (await whenBack(() => kept.get(owner, id))).answer : answer, after);
  };
  return eventStream(events(), connection, () => left.abort());
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
