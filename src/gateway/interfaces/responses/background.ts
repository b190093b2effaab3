import type { BackgroundResponses } from "../../../assistants/background-responses.ts";
import type { BackgroundResponse } from "../../../assistants/background-store.ts";
import type { Outcome, TaskDeps } from "../../../assistants/background-task.ts";
import type { KeptResponses } from "../../../assistants/kept-responses.ts";
import { eventText } from "../../../assistants/response-event.ts";
import type { KeyCaller } from "../../../contract/caller.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { ResponseAnswer, ResponseItem, ResponseRequest } from "../../../contract/responses.ts";
import type { CallSource, GatewayDeps, InferenceCall } from "../../call/gateway.ts";
import { completeChat } from "../../operations/chat.ts";
import { resolveForCaller } from "../../pipeline/authorize-model.ts";
import { internalCall } from "../../pipeline/internal-call.ts";
import { chunksOf } from "../shared/chunks.ts";
import { asChunk } from "./as-chunk.ts";
import { QUEUED, type ResponseFacts, responseObject } from "./create-response.ts";
import { ResponseEvents } from "./events.ts";
import { follow } from "./follow.ts";
import { putBehind, type SaidDeps, withHistory } from "./history.ts";
import { refuse } from "./refuse.ts";
import { ToolNames } from "./tool-names.ts";

/** Headers that say how a call is carried out. */
export const CALL_HEADERS = [
  ...["cache-control", "x-gw-region", "x-gw-enable-message-redaction", "x-gw-spend-logs-metadata"],
  ...["x-gw-session-id", "x-gw-trace-id", "x-gw-num-retries", "x-gw-timeout", "x-gw-stream-timeout"],
  ...["x-gw-customer-id", "x-gw-end-user-id"],
];

/** What is needed to carry a response out, beside what was put in: that is kept with it. */
interface Asked {
  readonly request: Omit<ResponseRequest, "input">;
  readonly callId: string;
  readonly source: CallSource;
  readonly headers: Readonly<Record<string, string | null>>;
}

interface QueueDeps {
  readonly gateway: GatewayDeps;
  readonly kept: KeptResponses;
  readonly background: BackgroundResponses;
}

/** Leaves a response to be carried out behind its call; what shows already that it cannot be is refused as always. */
export async function queue(
  { gateway, kept, background }: QueueDeps,
  call: InferenceCall,
  facts: ResponseFacts,
  previousId: string | null,
  items: readonly ResponseItem[],
): Promise<Response> {
  const { caller, callId, source, connection } = call;
  const { input: _, ...request } = facts.request;
  const isStreamed = request.stream === true;
  // A stream that was left is forgotten by its key and would be asked for again, but what is in the background goes on.
  if (isStreamed && call.header("idempotency-key") !== null) {
    refuse("stream", "`Idempotency-Key` is not served for streams in the background; ask for the stream by the id.");
  }
  resolveForCaller(gateway.catalog(), caller, call.model);
  const answer = responseObject(facts, QUEUED);
  const headers = Object.fromEntries(CALL_HEADERS.map((name) => [name, call.header(name)]));
  const asked: Asked = { request, callId, source, headers };
  const events = isStreamed ? queuedEvents(answer) : "";
  await background.create(caller, { previousId, input: items, answer, asked, events });
  return isStreamed ? follow({ kept, background }, caller, answer.id, -1, connection) : Response.json(answer);
}

const queuedEvents = (response: ResponseAnswer): string =>
  eventText("response.created", 0, { response }) + eventText("response.queued", 1, { response });

interface AnswerDeps extends SaidDeps {
  readonly gateway: GatewayDeps;
  /** The key as it stands now: whatever has become of it since it asked. */
  readonly callerOf: (keyId: string, address: string | null) => Promise<KeyCaller>;
  readonly askedOf: (work: BackgroundResponse) => unknown;
}

/** Carries a response out, the same way as any call of its key. */
export const answerBehind =
  (deps: AnswerDeps): TaskDeps["answer"] =>
  async (work, begun, signal, tell) => {
    const { gateway, kept, callerOf, askedOf } = deps;
    const { request, callId, source, headers } = askedOf(work) as Asked;
    const facts = { id: work.id, createdSeconds: begun.created_at, request, store: true };
    const events = new ResponseEvents(facts, ToolNames.of(request, []), async (answer) => answer, work.told);
    const isStreamed = request.stream === true;
    const outcome = (answer: ResponseAnswer): Outcome => {
      const last = events.tellEnd(answer);
      return { answer, events: isStreamed ? last : "" };
    };
    try {
      if (isStreamed) tell(events.proceed());
      const caller = await callerOf(work.keyId, source.address);
      const { input } = await kept.get(caller, work.id);
      const call: InferenceCall = {
        ...internalCall(gateway, { caller, model: request.model, source, signal }),
        callId,
        header: (name) => headers[name] ?? null,
        own: false,
      };
      const answer = await completeChat(gateway, call, await withHistory(deps, caller, request, input));
      if (!isStreamed) events.take(asChunk(await answer.json()));
      else for await (const chunk of chunksOf(answer, signal)) tell(events.take(chunk));
      return outcome(await putBehind({ ...deps, owner: caller }, request, input, await events.finish()));
    } catch (thrown) {
      const reason = signal.aborted ? signal.reason : thrown;
      if (!(reason instanceof GatewayError))
        gateway.log.error({ responseId: work.id, err: thrown }, "a response failed");
      return outcome(events.failed(reason instanceof GatewayError ? reason : failed()));
    }
  };

const failed = (): GatewayError => new GatewayError("internal", "The response failed on our side.");
