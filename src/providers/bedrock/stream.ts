import type { ChatChunk, ChatDelta, ChatRequest, FinishReason } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord, parseJson } from "../../lib/json.ts";
import { usesFunctions } from "../anthropic/tools.ts";
import type { AnswerFacts, ChunkDecoder, StreamEvent } from "../dialect.ts";
import { classifyStreamException } from "./failure.ts";
import { finishReason } from "./finish-reason.ts";
import { wantsSchema } from "./json-answer.ts";
import { StreamedReasoning } from "./streamed-reasoning.ts";
import { StreamedText } from "./streamed-text.ts";
import { StreamedTools } from "./streamed-tools.ts";
import { brokenAnswer, TITLE } from "./title.ts";
import { decodeUsage } from "./usage.ts";

type Fields = Readonly<Record<string, unknown>>;

const EXCEPTION = "exception:";

/** The events of ConverseStream, each a member of one block or of the whole message. */
export class StreamDecoder implements ChunkDecoder {
  private hasBegun = false;
  isWhole = false;
  private isCounted = false;
  private readonly text: StreamedText;
  private readonly tools: StreamedTools;
  private readonly reasoning = new StreamedReasoning();

  constructor(
    request: ChatRequest,
    private readonly facts: AnswerFacts,
  ) {
    this.text = new StreamedText(wantsSchema(request));
    this.tools = new StreamedTools(usesFunctions(request), this.text);
  }

  push({ name, data }: StreamEvent): readonly ChatChunk[] {
    if (name?.startsWith(EXCEPTION)) {
      const { kind, message } = classifyStreamException(name.slice(EXCEPTION.length), data);
      throw new GatewayError(kind, message);
    }
    const deltas = this.isWhole ? [] : this.deltasOf(name, data);
    const chunks = deltas.length > 0 ? this.begun(deltas) : [];
    if (name === "messageStop" && !this.isWhole) return [...chunks, ...this.finish(eventFields(data))];
    if (name === "metadata") return [...chunks, ...this.usage(eventFields(data))];
    return chunks;
  }

  end(): readonly ChatChunk[] {
    if (!this.isWhole) throw new GatewayError("upstream", `${TITLE}'s stream broke off.`);
    return [];
  }

  private deltasOf(name: string | null, data: string): ChatDelta[] {
    switch (name) {
      case "contentBlockStart":
        return this.tools.start(eventFields(data));
      case "contentBlockDelta":
        return this.blockDelta(eventFields(data));
      case "contentBlockStop": {
        const { contentBlockIndex: index } = eventFields(data);
        return [...this.reasoning.stop(index), ...this.tools.stop(index)];
      }
      case "messageStop":
        return [...this.reasoning.stop(null), ...this.text.flush()];
      default:
        return [];
    }
  }

  private blockDelta({ contentBlockIndex: index, delta }: Fields): ChatDelta[] {
    if (!isRecord(delta)) throw brokenAnswer("has a delta that is none");
    if (typeof delta.text === "string") return this.text.push(delta.text);
    if (isRecord(delta.toolUse)) return this.tools.input(index, delta.toolUse.input);
    if (isRecord(delta.reasoningContent)) return this.reasoning.push(index, delta.reasoningContent);
    return [];
  }

  /** The first chunk has the role and nothing else. It waits for a word: until then a failure can be made good elsewhere. */
  private begun(deltas: readonly ChatDelta[]): ChatChunk[] {
    const opening: ChatDelta[] = this.hasBegun ? [] : [{ role: "assistant" }];
    this.hasBegun = true;
    const said = deltas.filter((delta) => Object.keys(delta).length > 0);
    return [...opening, ...said].map((delta) => this.chunk(delta, null));
  }

  private finish({ stopReason }: Fields): ChatChunk[] {
    const reason = finishReason(stopReason, this.tools.called);
    this.isWhole = true;
    return [...this.begun([]), this.chunk({}, reason)];
  }

  private usage({ usage }: Fields): ChatChunk[] {
    const decoded = decodeUsage(usage);
    if (decoded === null || this.isCounted) return [];
    this.isCounted = true;
    return [{ ...this.head(), choices: [], usage: decoded }];
  }

  private chunk(delta: ChatDelta, reason: FinishReason | null): ChatChunk {
    return { ...this.head(), choices: [{ index: 0, delta, finish_reason: reason }] };
  }

  private head() {
    const { id, createdSeconds, model } = this.facts;
    return { id, object: "chat.completion.chunk" as const, created: createdSeconds, model };
  }
}

function eventFields(data: string): Fields {
  try {
    const parsed = parseJson(data);
    if (isRecord(parsed)) return parsed;
  } catch {
    // Falls through: text that is no JSON is as bad as JSON that is no object.
  }
  throw brokenAnswer("has an event that cannot be read");
}
