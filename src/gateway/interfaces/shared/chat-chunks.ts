import type { ChatChunk } from "../../../contract/chat.ts";
import { ERRORS, type ErrorKind, GatewayError } from "../../../contract/errors.ts";
import { isRecord, isTooDeep } from "../../../lib/json.ts";
import { isDone, type SseEvent, SseSplitter } from "../../../lib/sse.ts";
import { readChunk } from "./read-chunk.ts";

/** The streamed answer of a chat, read again by what is built on chats. */
export class ChatChunks {
  private readonly splitter = new SseSplitter();
  private readonly reader: ReturnType<typeof readerOf>;
  private left: Promise<void> | null = null;
  private isOver = false;
  private wasInterrupted: GatewayError | null = null;

  constructor(
    answer: Response,
    private readonly everyChoice = false,
  ) {
    this.reader = readerOf(answer);
  }

  /** What has come, null once it was whole. After what came before it, throws the error with which the stream broke off. */
  async next(): Promise<ChatChunk[] | null> {
    while (!this.isOver && this.reader) {
      if (this.wasInterrupted) throw this.wasInterrupted;
      const { done, value } = await this.reader.read();
      const chunks = this.take(done ? this.splitter.end() : this.splitter.push(value));
      if (done && !this.isOver)
        this.wasInterrupted ??= new GatewayError("upstream", "The provider's stream broke off.");
      if (chunks.length > 0) return chunks;
    }
    return null;
  }

  /** Lets go of the upstream where it has not ended; over when the call is in the books. */
  close(): Promise<void> {
    this.left ??= this.reader?.cancel().catch(() => undefined) ?? Promise.resolve();
    return this.left;
  }

  private take(events: readonly SseEvent[]): ChatChunk[] {
    const chunks: ChatChunk[] = [];
    for (const { data } of events) {
      this.isOver = isDone(data);
      if (this.isOver) break;
      const said = readFrame(data);
      if (said instanceof GatewayError) {
        this.wasInterrupted = said;
        break;
      }
      chunks.push(readChunk(said, this.everyChoice));
    }
    return chunks;
  }
}

const readerOf = ({ body }: Response) => (body as ReadableStream<Uint8Array> | null)?.getReader() ?? null;

/** What a frame says, or the error with which the stream broke off; so does one that is nested too deeply. */
function readFrame(data: string): unknown {
  const said: unknown = JSON.parse(data);
  if (isTooDeep(said, data)) return new GatewayError("upstream", "The provider's answer is nested too deeply.");
  return isRecord(said) && isRecord(said.error) ? errorOf(said.error) : said;
}

/** The frame that ends a stream which broke: an error of ours, in the form in which callers see it. */
function errorOf({ code, message }: Record<string, unknown>): GatewayError {
  const known = Object.entries(ERRORS).find(([, spec]) => spec.code === code)?.[0] as ErrorKind | undefined;
  return new GatewayError(
    known ?? "upstream",
    typeof message === "string" ? message : "The provider's stream broke off.",
  );
}
