import { createHash, randomUUID } from "node:crypto";
import { GatewayError } from "../../contract/errors.ts";
import type { IdempotencyClaim, IdempotencyStore, KeptCall, KeptKey } from "../../ledger/idempotency-store.ts";
import type { Clock } from "../../lib/clock.ts";
import { hmacBytes } from "../../lib/hmac.ts";
import { isRecord, recordIn } from "../../lib/json.ts";
import type { Logger } from "../../lib/log.ts";
import { seal, unseal } from "../../lib/seal.ts";
import { isDone, type SseEvent, SseSplitter } from "../../lib/sse.ts";
import type { Fields } from "../call/gateway.ts";
import { BETWEEN_PIECES } from "../interfaces/gemini/generated-events.ts";

const KEY_CHARS_MAX = 255;
const KEPT_MS = 24 * 3_600_000;
/** A call that runs says so again before this is over: one whose process has ended is not waited for. */
const LEASE_MS = 60_000;
/** Sooner than the time that whoever lives is given when the clock was set, or the database was away. */
const RENEW_MS = 10_000;
const BODY_BYTES_MAX = 1024 * 1024;
/** Headers of an answer that are given again with it. */
const KEPT_HEADERS = ["content-type", "cache-control", "x-gw-model-id", "x-gw-model-group", "x-gw-response-cost"];

export interface IdempotencyDeps {
  readonly answers: IdempotencyStore;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A request that names itself, so that it can be sent again. */
export interface NamedRequest {
  readonly scope: string;
  /** The value of `Idempotency-Key`. */
  readonly key: string;
  readonly path: string;
  /** As the route has read it, where it has one: another one asks for another answer. */
  readonly query?: unknown;
  readonly body: unknown;
  /**
   * Of what creates something with a secret in its answer: that is kept sealed, opens with the caller's own `Idempotency-Key`
   * alone, and is kept before any of it is sent.
   */
  readonly sealingKey?: Uint8Array;
}

/** How the text of an answer is kept. */
interface Envelope {
  close(text: string): string;
  open(text: string): string;
}

const OPEN: Envelope = { close: (text) => text, open: (text) => text };

/** Only a hash of the caller's key is stored, so that the database and the root secret together do not open it either. */
function envelopeOf({ key, sealingKey }: NamedRequest, { scope, keyHash }: KeptKey): Envelope {
  if (!sealingKey) return OPEN;
  const derived = hmacBytes(sealingKey, `kept-answer:${key}`);
  const use = `kept-answer:${scope}:${keyHash}`;
  return { close: (text) => seal(derived, use, text), open: (text) => unseal(derived, use, text) };
}

/**
 * Makes a call once however often it is sent: the same key and body have the same answer for a day, without a second charge.
 * Only whole answers are kept; one that failed or was left may be made again.
 */
export async function once(
  deps: IdempotencyDeps,
  request: NamedRequest,
  make: () => Response | Promise<Response>,
): Promise<Response> {
  const { answers, clock } = deps;
  if (request.key === "" || request.key.length > KEY_CHARS_MAX) {
    throw fault(`must have 1 to ${KEY_CHARS_MAX} characters`);
  }
  const claim = { scope: request.scope, keyHash: hash(request.key), owner: randomUUID() };
  const bodyHash = hash(
    `${request.path}${request.query ? `?${JSON.stringify(request.query)}` : ""}\n${JSON.stringify(request.body)}`,
  );
  const now = clock.nowMs();
  const known = await answers.begin({ ...claim, bodyHash, expiresAt: now + LEASE_MS }, now);
  const envelope = envelopeOf(request, claim);
  if (known) return replay(known, bodyHash, envelope);
  const renewing = setInterval(() => {
    answers.renew(claim, clock.nowMs() + LEASE_MS).catch(() => undefined);
  }, RENEW_MS);
  const run = new Run(deps, claim, renewing, envelope);
  try {
    const response = await make();
    if (response.ok) return request.sealingKey ? await run.keepFirst(response) : run.keep(response);
    await run.forget();
    return response;
  } catch (thrown) {
    await run.forget();
    throw thrown;
  }
}

function replay(known: KeptCall, bodyHash: string, envelope: Envelope): Response {
  if (known.bodyHash !== bodyHash) throw fault("was used for another request");
  if (known.state === "running") {
    throw new GatewayError("conflict", "A call with this `Idempotency-Key` is still running.", {
      headers: { "retry-after": "1" },
    });
  }
  if (known.body === null) {
    throw new GatewayError(
      "conflict",
      "The call with this `Idempotency-Key` was answered, and its answer was too long to be kept.",
    );
  }
  const headers = JSON.parse(known.headers ?? "{}") as Record<string, string>;
  return new Response(Buffer.from(envelope.open(known.body), "base64"), {
    status: known.status ?? 200,
    headers: { ...headers, "idempotent-replayed": "true" },
  });
}

/** One call that is being made: it ends by being kept or by being forgotten. */
class Run {
  private ended = false;

  constructor(
    private readonly deps: IdempotencyDeps,
    private readonly claim: IdempotencyClaim,
    private readonly renewing: ReturnType<typeof setInterval>,
    private readonly envelope: Envelope,
  ) {}

  /**
   * The answer, kept while it passes; its end waits until it is. What came in one piece is charged as a whole when it leaves, and
   * is kept as one also where its caller does not wait for all of it.
   */
  keep(response: Response): Response {
    const reader = response.body?.getReader();
    const end = endOf(response.headers.get("content-type") ?? "");
    const chunks: Uint8Array[] = [];
    let length = 0;
    let isLeft = false;
    const read = async (): Promise<Uint8Array | null> => {
      const value = (await reader?.read())?.value;
      if (!value) return null;
      length += value.length;
      if (length <= BODY_BYTES_MAX) chunks.push(value);
      end?.take(value);
      return value;
    };
    // A stream that broke off after its first byte has the status of success, and no end.
    const over = (): Promise<void> =>
      end && !end.isWhole()
        ? this.forget()
        : this.finish(response, length <= BODY_BYTES_MAX ? Buffer.concat(chunks) : null);
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const value = await read();
          if (isLeft) return;
          if (value) return controller.enqueue(value);
          await over();
          controller.close();
        } catch (thrown) {
          await this.forget();
          controller.error(thrown);
        }
      },
      cancel: async (reason) => {
        isLeft = true;
        if (end?.isOnePiece !== true) return void (await Promise.all([reader?.cancel(reason), this.forget()]));
        try {
          while (await read());
          await over();
        } catch {
          await this.forget();
        }
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  }

  /** Kept before any of it is sent: what was made stays made when its caller has left, and has to be found again. */
  async keepFirst(response: Response): Promise<Response> {
    const body = Buffer.from(await response.arrayBuffer());
    await this.finish(response, body);
    return new Response(body, { status: response.status, headers: response.headers });
  }

  async forget(): Promise<void> {
    await this.end(() => this.deps.answers.forget(this.claim));
  }

  private async finish({ status, headers }: Response, body: Buffer | null): Promise<void> {
    const kept = Object.fromEntries(KEPT_HEADERS.flatMap((name) => [[name, headers.get(name)]]).filter(([, v]) => v));
    await this.end(() =>
      this.deps.answers.finish(this.claim, {
        status,
        headers: JSON.stringify(kept),
        body: body === null ? null : this.envelope.close(body.toString("base64")),
        expiresAt: this.deps.clock.nowMs() + KEPT_MS,
      }),
    );
  }

  /** An answer that is there goes out, whether it could be kept or not. */
  private async end(work: () => Promise<void>): Promise<void> {
    if (this.ended) return;
    this.ended = true;
    clearInterval(this.renewing);
    await work().catch((err) => this.deps.log.warn({ err }, "an answer could not be kept for its Idempotency-Key"));
  }
}

/** How the streams of responses, of messages and of speech end; the others end with `[DONE]`, or in Google's way. */
const LAST_EVENTS: ReadonlySet<unknown> = new Set([
  "response.completed",
  "response.incomplete",
  "message_stop",
  "speech.audio.done",
]);

/** Tells whether an answer that comes in pieces has come to its end, however long it is. */
interface AnswerEnd {
  /** Known from its first bytes on. */
  readonly isOnePiece: boolean;
  take(chunk: Uint8Array): void;
  /** Asked once, when nothing more comes. */
  isWhole(): boolean;
}

function endOf(contentType: string): AnswerEnd | null {
  if (contentType.startsWith("text/event-stream")) return new StreamEnd();
  return contentType.startsWith("application/json") ? new ListEnd() : null;
}

class StreamEnd implements AnswerEnd {
  readonly isOnePiece = false;
  private readonly splitter = new SseSplitter(Number.POSITIVE_INFINITY);
  private last: SseEvent | undefined;

  take(chunk: Uint8Array): void {
    this.last = this.splitter.push(chunk).at(-1) ?? this.last;
  }

  isWhole(): boolean {
    const last = this.splitter.end().at(-1) ?? this.last;
    if (!last) return false;
    if (isDone(last.data)) return true;
    const data = recordIn(last.data);
    // Not all events have a name beside their data.
    return LAST_EVENTS.has(last.name ?? data?.type) || isLastPiece(data);
  }
}

/** Google's other stream is one JSON list, of which the last item tells how it ended. All other JSON comes whole or not at all. */
class ListEnd implements AnswerEnd {
  private readonly decoder = new TextDecoder();
  private isList: boolean | null = null;
  /** From the last item on. */
  private tail = "";

  get isOnePiece(): boolean {
    return this.isList === false;
  }

  take(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.isList ??= chunk[0] === OPENING_BRACKET;
    if (!this.isList) return;
    this.tail += this.decoder.decode(chunk, { stream: true });
    const at = this.tail.lastIndexOf(BETWEEN_PIECES);
    if (at >= 0) this.tail = this.tail.slice(at + BETWEEN_PIECES.length);
  }

  isWhole(): boolean {
    return this.isList !== true || isLastPiece(recordIn(this.tail.replace(/^\[|\]$/g, "")));
  }
}

const OPENING_BRACKET = 0x5b;

/** Whether it is the end of Google's stream: there all candidates tell why they ended. */
const isLastPiece = (piece: Fields | null): boolean =>
  piece !== null &&
  piece.error === undefined &&
  Array.isArray(piece.candidates) &&
  piece.candidates.every((candidate) => isRecord(candidate) && typeof candidate.finishReason === "string");

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

const fault = (msg: string): GatewayError =>
  new GatewayError("validation", `\`Idempotency-Key\` ${msg}.`, {
    faults: [{ loc: ["header", "idempotency-key"], msg: `\`Idempotency-Key\` ${msg}.`, type: "value_error" }],
  });
