import type { ChatChunk, ChatRequest } from "../../contract/chat.ts";
import { ERRORS, GatewayError } from "../../contract/errors.ts";
import { beginsText } from "../../providers/anthropic/own-form.ts";
import type { Choice } from "../attempts/resolve-target.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { Onward } from "../call/prepared-request.ts";
import type { MeteredCall } from "../metering/call-accounting.ts";
import { servedName } from "../metering/usage-record.ts";
import { type SentChat, sendChat } from "../operations/send-chat.ts";
import { ChunkFrames } from "./chunk-frames.ts";
import { openChunks } from "./open-chunks.ts";
import type { Resumed, ResumedFrames, SoFar } from "./resumed-frames.ts";
import { UpstreamReader } from "./upstream-reader.ts";

const GO_ON =
  "Your answer broke off. Go on from exactly where it ends, without repeating any of it or remarking on this.";

type Resume = ConstructorParameters<typeof ResumedFrames>[1];

/** Has the next deployment or group go on with an answer that broke off; it is charged for its part, the broken one is free. */
export function goOn(
  deps: GatewayDeps,
  call: InferenceCall,
  began: Choice,
  meter: MeteredCall,
  includeUsage: boolean,
  onward: Onward,
): Resume {
  return async (broken, soFar) => {
    let failure = broken;
    for (;;) {
      const choice = await onward(failure);
      if (choice === null) return null;
      try {
        const sent = await sendChat(deps, call, { ...choice, fields: continued(choice.fields as ChatRequest, soFar) });
        return resumed(sent, choice, began, broken, soFar, meter, includeUsage);
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw thrown;
        failure = thrown;
      }
    }
  };
}

/** Before the first word there is nothing to go on from: it is the same question again. */
const continued = (fields: ChatRequest, { text }: SoFar): ChatRequest =>
  text === ""
    ? fields
    : {
        ...fields,
        messages: [...fields.messages, { role: "assistant", content: text }, { role: "user", content: GO_ON }],
      };

function resumed(
  sent: SentChat,
  choice: Choice,
  began: Choice,
  broken: GatewayError,
  { id, created }: SoFar,
  meter: MeteredCall,
  includeUsage: boolean,
): Resumed {
  const reader = new UpstreamReader(sent.exchange, choice.streamTimeoutMs);
  meter.watch(sent.exchange.deadline.signal);
  const head = { id, object: "chat.completion.chunk", created, model: choice.model } as const;
  const source = new ChunkFrames(openChunks(reader, sent, choice.provider), {
    includeUsage,
    notes: meter,
    render: (chunk) => ({ ...chunk, ...head, choices: chunk.choices.map(goingOn) }),
  });
  const [from, to] = [servedName(began.deployment, true), servedName(choice.deployment, true)];
  const fallback = { from, to, reason: ERRORS[broken.kind].code };
  return { source, notice: { ...head, choices: [], gw_metadata: { mid_stream_fallback: fallback } } };
}

/** The answer has begun: who speaks was said, and the text goes on in the block that it broke off in. */
function goingOn(choice: ChatChunk["choices"][number]): ChatChunk["choices"][number] {
  const { role, anthropic_block: block, ...delta } = choice.delta;
  return { ...choice, delta: block && !beginsText(block) ? { ...delta, anthropic_block: block } : delta };
}
