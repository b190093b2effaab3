import { GatewayError } from "../../contract/errors.ts";
import type { Deadline } from "../../lib/deadlines.ts";
import { LoopTurns } from "../../lib/event-loop.ts";
import { tracelessError } from "../../lib/traceless-error.ts";
import { type Exchange, explain, tooSlow } from "../attempts/upstream-request.ts";

interface Chunk {
  readonly done: boolean;
  readonly value?: Uint8Array;
}

interface ByteReader {
  read(): Promise<Chunk>;
  cancel(): Promise<void>;
}

/** Reads an upstream's stream chunk by chunk under its time limits, and lets go of it when it is closed. */
export class UpstreamReader {
  private readonly reader: ByteReader;
  /** All that is kept of the exchange: the answer's headers need not outlive the beginning of a long stream. */
  private readonly deadline: Deadline;
  /** Who waits for what is read next. */
  private take: (bytes: Uint8Array | null) => unknown = asTheyAre;
  /** The turn of the event loop in which was read last, and since when. */
  private turn = -1;
  private turnAtMs = 0;
  /** Whether the answer is whole: a connection that breaks then is an end like any other. */
  isWhole: () => boolean = never;
  /** Whether it is for certain, and whether its count is there too: nobody waits for long for more. */
  isOver: () => boolean = never;
  isCounted = false;
  /** Nothing has come yet but lines that say nothing. */
  private isSilent = true;
  /** Such lines were the last that came: the limit for the first event goes on. */
  private isWaiting = false;
  /** The last of them goes on in the next bytes. */
  private inComment = false;

  constructor(
    exchange: Exchange,
    private readonly pauseMs: number,
  ) {
    const { response, deadline } = exchange;
    if (!response.body) {
      deadline.clear();
      throw new GatewayError("upstream", "The provider sent no stream.");
    }
    this.reader = response.body.getReader() as unknown as ByteReader;
    this.deadline = deadline;
  }

  /** Ended by a time limit, or because the caller left. */
  get isAborted(): boolean {
    return this.deadline.signal.aborted;
  }

  /** The next bytes, or null at the end. */
  read(): Promise<Uint8Array | null> {
    return this.readTo(asTheyAre);
  }

  /** What is made of the next bytes: without a promise for the bytes themselves, of which a slow stream would hold one more. */
  readTo<T>(take: (bytes: Uint8Array | null) => T | Promise<T>): Promise<T> {
    const turn = turns.present;
    if (turn !== this.turn) {
      this.turn = turn;
      this.turnAtMs = performance.now();
    } else if (performance.now() - this.turnAtMs >= TURN_MS) return this.readAfterOthers(take);
    if (!this.isWaiting) this.deadline.expectWithin(Math.min(END_MS, this.pauseMs), this.overdue);
    this.take = take;
    return this.reader.read().then(this.taken, this.failed) as Promise<T>;
  }

  /** An upstream that never makes us wait, such as one in this process, must not keep the event loop to itself. */
  private async readAfterOthers<T>(take: (bytes: Uint8Array | null) => T | Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    return this.readTo(take);
  }

  // Made once for each stream: an async function would make five objects for each of its chunks.
  private readonly taken = ({ done, value }: Chunk): unknown => {
    if (this.isSilent && value) {
      this.isSilent = this.isWaiting = this.saysNothing(value);
      if (this.isWaiting) return this.take(value);
    }
    // While our own reader is slow, nobody waits for the upstream: only the whole call has a limit then.
    this.deadline.expectWithin(null, stalled);
    return this.take(done || !value ? null : value);
  };

  private readonly failed = (thrown: unknown): unknown => {
    const { aborted, reason } = this.deadline.signal;
    if (aborted ? isOurLimit(reason) && this.isOver() : this.isWhole()) return this.take(null);
    throw explain(thrown, this.deadline.signal);
  };

  /** Comments and blank lines keep a connection open; they are no answer, and nobody waits for one longer on their account. */
  private saysNothing(bytes: Uint8Array): boolean {
    for (const byte of bytes) {
      if (byte === LF || byte === CR) this.inComment = false;
      else if (byte === COLON) this.inComment = true;
      else if (!this.inComment) return false;
    }
    return true;
  }

  /** Some upstreams have said all and leave their connection open: nobody waits for them as long as for a word. */
  private readonly overdue = (): Error | null => {
    const isOver = this.isOver();
    if (isOver && this.isCounted) return CLOSED;
    const left = (isOver ? Math.min(COUNT_MS, this.pauseMs) : this.pauseMs) - END_MS;
    const reason = isOver ? closed : this.isSilent ? tooSlow : stalled;
    if (left <= 0) return reason();
    this.deadline.expectWithin(left, reason);
    return null;
  };

  /**
   * All that was wanted has come, and the answer's end mostly follows at once. It is waited for: an answer that is ended
   * before its end takes its connection with it, and the next call would have to open another one.
   */
  finish(): void {
    this.deadline.linger(END_MS, closed);
    this.readRest(REST_BYTES_MAX);
  }

  private readRest(bytesMax: number): void {
    this.reader.read().then(
      ({ done, value }) => {
        const left = bytesMax - (value?.length ?? 0);
        if (!done && left >= 0) this.readRest(left);
        else this.close();
      },
      () => this.close(),
    );
  }

  close(): void {
    this.deadline.clear();
    this.reader.cancel().catch(() => undefined);
    // An upstream that has sent nothing yet is ended only by its signal.
    this.deadline.abort(CLOSED);
  }
}

const never = (): boolean => false;
const asTheyAre = (bytes: Uint8Array | null): Uint8Array | null => bytes;
const TURN_MS = 5;
/** How long, and for how many bytes, an answer's end is waited for. */
const END_MS = 1_000;
/** How long an answer's count is waited for behind its last word. */
const COUNT_MS = 5_000;
const REST_BYTES_MAX = 64 * 1024;
const [LF, CR, COLON] = [10, 13, 58];
const turns = new LoopTurns();
/** Why an exchange ends that nobody reads any more. */
export const CLOSED = tracelessError("the answer was closed");
const closed = (): Error => CLOSED;
/** And not the caller's, who has left. */
const isOurLimit = (reason: unknown): boolean =>
  reason === CLOSED || (reason instanceof GatewayError && reason.kind === "timeout");
const stalled = (): GatewayError => new GatewayError("timeout", "The model stopped in the middle of its answer.");
