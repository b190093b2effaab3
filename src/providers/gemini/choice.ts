import type { ChatDelta, ChatRequest, FinishReason, Message, ToolCall } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { AnswerFacts } from "../dialect.ts";
import type { Candidate, Piece } from "./candidate.ts";
import { finishReason, isFault } from "./finish.ts";
import { isInGoogleForm, OWN_PARTS } from "./own-form.ts";
import { signatureField, textSignatureField } from "./signature.ts";

interface Image {
  readonly type: "image_url";
  readonly image_url: { readonly url: string };
  readonly index: number;
  readonly provider_specific_fields?: { readonly thought_signature: string };
}

/** How the caller asked for calls: the older interface has one `function_call`, and `parallel_tool_calls` may be off. */
export interface CallStyle {
  readonly older: boolean;
  readonly single: boolean;
  /** The caller speaks Google's form, and gets what chats have no place for. */
  readonly own: boolean;
}

export function callStyle(request: ChatRequest): CallStyle {
  const older = (request.tools ?? []).length === 0 && (request.functions ?? []).length > 0;
  // Google has no switch for parallel calls. The first call alone is answered, and the model goes on from there.
  return { older, single: older || request.parallel_tool_calls === false, own: isInGoogleForm(request) };
}

/** One choice while it grows. A plain answer is the same growth in one step, so both forms say the same. */
export class Choice {
  private text = "";
  private reasoning = "";
  private readonly calls: ToolCall[] = [];
  private readonly images: Image[] = [];
  private audio: Record<string, unknown> | null = null;
  private readonly own: Readonly<Record<string, unknown>>[] = [];
  private readonly signatures: string[] = [];
  private extras: Readonly<Record<string, unknown>> | null = null;
  private ended: string | null = null;

  constructor(
    private readonly index: number,
    private readonly facts: AnswerFacts,
    private readonly style: CallStyle,
  ) {}

  /** The deltas that the candidate's news make. */
  add(candidate: Candidate): ChatDelta[] {
    if (candidate.extras !== null) this.extras = { ...this.extras, ...candidate.extras };
    const deltas: ChatDelta[] = [];
    for (const piece of candidate.pieces) {
      const delta = this.take(piece);
      if (delta !== null) deltas.push(delta);
    }
    return deltas;
  }

  private take(piece: Piece): ChatDelta | null {
    switch (piece.kind) {
      case "text":
        this.text += piece.text;
        return { content: piece.text };
      case "thought":
        this.reasoning += piece.text;
        return { reasoning_content: piece.text };
      case "signature":
        this.signatures.push(piece.signature);
        return null;
      case "media":
        return this.takeMedia(piece);
      case "call":
        return this.takeCall(piece);
      case "own":
        return this.style.own ? this.takeOwn(piece.part) : null;
    }
  }

  private takeOwn(part: Readonly<Record<string, unknown>>): ChatDelta {
    this.own.push(part);
    return { [OWN_PARTS]: [part] };
  }

  private takeCall(piece: Piece & { kind: "call" }): ChatDelta | null {
    if (this.style.single && this.calls.length > 0) return null;
    const at = this.calls.length;
    const call: ToolCall = {
      id: piece.id ?? callId(this.facts.id, this.index, at),
      type: "function",
      function: { name: piece.name, arguments: piece.args },
      ...(piece.signature === null ? {} : { provider_specific_fields: signatureField(piece.signature) }),
    };
    this.calls.push(call);
    return this.style.older ? { function_call: call.function } : { tool_calls: [{ index: at, ...call }] };
  }

  private takeMedia({ data, signature }: Piece & { kind: "media" }): ChatDelta {
    if (!data.mimeType.startsWith("image/")) {
      // A chat's sound does not say what kind of one it is.
      if (this.style.own) return this.takeOwn({ inlineData: data });
      const id = `audio_${callId(this.facts.id, this.index, 0).slice("call_".length)}`;
      this.audio = { id, data: data.data, transcript: "", expires_at: this.facts.createdSeconds };
      return { audio: this.audio };
    }
    const image: Image = {
      type: "image_url",
      image_url: { url: `data:${data.mimeType};base64,${data.data}` },
      index: this.images.length,
      ...(signature === null ? {} : { provider_specific_fields: signatureField(signature) }),
    };
    this.images.push(image);
    return { images: [image] };
  }

  /** Ends the choice. An answer that ends in a fault before it said anything is none. */
  finish(reason: string, message: string | null, title: string, isOnly: boolean): FinishReason {
    const isEmpty =
      this.text === "" && this.calls.length === 0 && this.images.length === 0 && !this.audio && this.own.length === 0;
    if (isFault(reason) && isEmpty && isOnly) {
      const said = message === null ? "" : ` ${message.slice(0, 300)}`;
      throw new GatewayError("upstream", `${title} ended its answer with ${reason}.${said}`);
    }
    this.ended = reason;
    return finishReason(reason, this.calls.length === 0 ? null : this.style.older ? "function_call" : "tool_calls");
  }

  get isFinished(): boolean {
    return this.ended !== null;
  }

  /** What is known only at the end: the seals of the reasoning, and the sources. Null when there is nothing. */
  get fields(): Record<string, unknown> | null {
    if (this.signatures.length === 0 && this.extras === null) return null;
    return { ...(this.signatures.length > 0 && textSignatureField(this.signatures)), ...this.extras };
  }

  get message(): Message {
    const [first] = this.calls;
    const { fields } = this;
    const message: { -readonly [Field in keyof Message]: Message[Field] } = {
      role: "assistant",
      content: this.text === "" ? null : this.text,
    };
    if (this.reasoning !== "") message.reasoning_content = this.reasoning;
    if (first !== undefined && this.style.older) message.function_call = first.function;
    if (first !== undefined && !this.style.older) message.tool_calls = this.calls;
    if (this.images.length > 0) message.images = this.images;
    if (this.audio !== null) message.audio = this.audio;
    if (this.own.length > 0) message[OWN_PARTS] = this.own;
    if (fields !== null) message.provider_specific_fields = fields;
    return message;
  }
}

/** Google's older models give their calls no id. The same answer gets the same ids, which every provider takes back. */
function callId(answerId: string, choice: number, at: number): string {
  const own = answerId
    .replace(/^chatcmpl-/, "")
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(-26);
  return `call_${own}_${choice}_${at}`;
}
