import type { ChatChunk } from "../../../contract/chat.ts";
import type { GatewayError } from "../../../contract/errors.ts";
import { streamError } from "../../streaming/write-stream.ts";
import { ChatChunks } from "./chat-chunks.ts";

/** How another interface streams what a chat says. Each of these gives whole events as text, or nothing. */
export interface EventForm {
  /** It tells all answers to the question, and not the first alone. */
  readonly everyChoice?: true;
  begin(): string;
  take(chunk: ChatChunk): string;
  end(): string | Promise<string>;
  fail(error: GatewayError): string;
}

const encoder = new TextEncoder();

/** The streamed answer of a chat in another form. A slow reader slows the upstream; one that leaves ends the call. */
export const eventBody = (answer: Response, form: EventForm): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(new EventBody(new ChatChunks(answer, form.everyChoice), form));

class EventBody {
  constructor(
    private readonly chunks: ChatChunks,
    private readonly form: EventForm,
  ) {}

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    send(controller, this.form.begin());
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    try {
      for (;;) {
        const chunks = await this.chunks.next();
        let text = "";
        for (const chunk of chunks ?? []) text += this.form.take(chunk);
        if (chunks === null) text += await this.form.end();
        send(controller, text);
        if (chunks === null) controller.close();
        if (chunks === null || text !== "") return;
      }
    } catch (thrown) {
      await this.chunks.close();
      send(controller, this.form.fail(streamError(thrown)));
      controller.close();
    }
  }

  cancel(): Promise<void> {
    return this.chunks.close();
  }
}

function send(controller: ReadableStreamDefaultController<Uint8Array>, text: string): void {
  if (text !== "") controller.enqueue(encoder.encode(text));
}
