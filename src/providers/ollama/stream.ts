import type { ChatChunk } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { AnswerFacts, ChunkDecoder, StreamEvent } from "../dialect.ts";
import { type ChunkForm, chunkForm } from "../openai-form/chunk-form.ts";
import { finishReason, type Line, readLine } from "./answer.ts";

export class OllamaStream implements ChunkDecoder {
  private readonly form: ChunkForm;
  private isOpen = false;
  private hasText = false;
  private callCount = 0;
  isWhole = false;

  constructor(private readonly facts: AnswerFacts) {
    this.form = chunkForm(facts.id, facts);
  }

  push({ data }: StreamEvent): readonly ChatChunk[] {
    if (this.isWhole || data.trim() === "") return [];
    const line = readLine(parseLine(data), this.facts.id, this.callCount);
    const chunks = [...this.opening(), ...this.deltas(line)];
    return line.isDone ? [...chunks, ...this.closing(line)] : chunks;
  }

  end(): readonly ChatChunk[] {
    if (this.isWhole) return [];
    throw new GatewayError("upstream", "Ollama's stream broke off.");
  }

  private opening(): readonly ChatChunk[] {
    if (this.isOpen) return [];
    this.isOpen = true;
    return [this.form.delta({ role: "assistant" })];
  }

  private deltas({ text, thinking, calls, logprobs }: Line): readonly ChatChunk[] {
    const chunks: ChatChunk[] = [];
    const rated = logprobs.length === 0 ? undefined : { content: logprobs, refusal: null };
    if (thinking !== "") chunks.push(this.form.delta({ reasoning_content: thinking }));
    if (text !== "" || rated !== undefined) chunks.push(this.form.delta({ content: text }, rated));
    // Ollama gives a call whole, so its first piece is its last.
    if (calls.length > 0) {
      const numbered = calls.map((call, index) => ({ index: this.callCount + index, ...call }));
      chunks.push(this.form.delta({ tool_calls: numbered }));
    }
    this.hasText ||= text !== "";
    this.callCount += calls.length;
    return chunks;
  }

  private closing({ doneReason, usage }: Line): readonly ChatChunk[] {
    this.isWhole = true;
    const hasCalls = this.callCount > 0;
    const silence = this.hasText || hasCalls ? [] : [this.form.delta({ content: "" })];
    return [...silence, this.form.finish(finishReason(doneReason, hasCalls)), this.form.usage(usage)];
  }
}

function parseLine(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new GatewayError("upstream", "Ollama's stream holds a line that is not JSON.", { cause });
  }
}
