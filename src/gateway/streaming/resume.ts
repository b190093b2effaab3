import type { ChatChunk, ChatRequest } from "../../contract/chat.ts";
import { ERRORS, GatewayError } from "../../contract/errors.ts";
import { beginsText } from "../../providers/anthropic/own-form.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { NextAttempt } from "../call/prepared-request.ts";
import type { CallAccounting } from "../metering/call-accounting.ts";
import { loggedModel } from "../metering/usage-record.ts";
import { type SentChat, sendChat } from "../operations/send-chat.ts";
import { ChunkFrames } from "./chunk-frames.ts";
import { openChunks } from "./open-chunks.ts";
import type { PartialResponse, Resumed, ResumedFrames } from "./resumed-frames.ts";
import { UpstreamReader } from "./upstream-reader.ts";

const GO_ON =
  "Your answer broke off. Go on from exactly where it ends, without repeating any of it or remarking on this.";

type Resume = ConstructorParameters<typeof ResumedFrames>[1];

/** Has the next deployment or group go on with an answer that broke off; it is charged for its part, the broken one is free. */
export function resumeStream(
  deps: GatewayDeps,
  call: InferenceCall,
  began: ResolvedTarget,
  accounting: CallAccounting,
  includeUsage: boolean,
  nextAttempt: NextAttempt,
): Resume {
  return async (interrupted, soFar) => {
    let failure = interrupted;
    for (;;) {
      const target = await nextAttempt(failure);
      if (target === null) return null;
      try {
        const sent = await sendChat(deps, call, { ...target, fields: continued(target.fields as ChatRequest, soFar) });
        return resumed(sent, target, began, interrupted, soFar, accounting, includeUsage);
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw thrown;
        failure = thrown;
      }
    }
  };
}

/** Before the first word there is nothing to go on from: it is the same question again. */
const continued = (fields: ChatRequest, { text }: PartialResponse): ChatRequest =>
  text === ""
    ? fields
    : {
        ...fields,
        messages: [...fields.messages, { role: "assistant", content: text }, { role: "user", content: GO_ON }],
      };

function resumed(
  sent: SentChat,
  target: ResolvedTarget,
  began: ResolvedTarget,
  interrupted: GatewayError,
  { id, created }: PartialResponse,
  accounting: CallAccounting,
  includeUsage: boolean,
): Resumed {
  const reader = new UpstreamReader(sent.exchange, target.streamTimeoutMs);
  accounting.watch(sent.exchange.deadline.signal);
  const head = { id, object: "chat.completion.chunk", created, model: target.model } as const;
  const source = new ChunkFrames(openChunks(reader, sent, target.provider), {
    includeUsage,
    notes: accounting,
    render: (chunk) => ({ ...chunk, ...head, choices: chunk.choices.map(goingOn) }),
  });
  const [from, to] = [loggedModel(began.deployment, true), loggedModel(target.deployment, true)];
  const fallback = { from, to, reason: ERRORS[interrupted.kind].code };
  return { source, notice: { ...head, choices: [], gw_metadata: { mid_stream_fallback: fallback } } };
}

/** The answer has begun: who speaks was said, and the text goes on in the block that it broke off in. */
function goingOn(choice: ChatChunk["choices"][number]): ChatChunk["choices"][number] {
  const { role, anthropic_block: block, ...delta } = choice.delta;
  return { ...choice, delta: block && !beginsText(block) ? { ...delta, anthropic_block: block } : delta };
}
