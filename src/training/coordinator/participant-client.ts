import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, rmSync } from "node:fs";
import { recordIn } from "../../lib/json.ts";
import { readJsonResponse } from "../wire/json-form.ts";
import { ParticipantFailure } from "../wire/participant-failure.ts";
import type { Form, RequestBodies, Spool, Wire } from "../wire/request-bodies.ts";
import { type Spooled, TooManyBytes } from "../wire/spool.ts";
import type { PlannedParticipant } from "./plan.ts";
import type { Question, StreamedQuestion } from "./question.ts";

/** Shares of a thousand participants are a quarter of a megabyte. */
const STEP_BYTES_MAX = 16 * 1024 ** 2;
/** Some numbers and names: all participants may answer at the same time. */
const FACTS_BYTES_MAX = 1024 ** 2;
const WORDS_BYTES_MAX = 4_096;
/** Its reason stands behind, and is not cut off with the end of a long line. */
const ERROR_CHARS = 200;

export interface Reply {
  readonly spooled: Spooled;
  readonly numExamples: number | null;
}

export interface Evaluation {
  readonly accuracy: number;
  readonly loss: number | null;
  readonly numExamples: number | null;
}

export type Send = (url: string, init: RequestInit) => Promise<Response>;

const BYTES = "application/octet-stream";
const JSON_TYPE = "application/json";
/** Statuses of a server that knows neither the path nor the method. */
const UNKNOWN_PATH: readonly (number | null)[] = [404, 405, 501];
/** Statuses of a server that cannot read the type of a body, or its response in the type that was asked for. */
const UNKNOWN_TYPE: readonly (number | null)[] = [406, 415];
/** Statuses of a server that may have read a packed body as JSON. Null: it closed the connection. */
const MISREAD: readonly (number | null)[] = [400, 404, 405, 411, 422, 500, 501, null];

/** Statuses that do not show whether a server has `/info`. Null: the request ended without a response. */
const MAYBE_INFO: readonly (number | null)[] = [401, 403, 408, 429, 503, 504, null];

/** Sends requests to one participant: packed, or in JSON to one of the contract alone. Errors are ParticipantFailures. */
export class ParticipantClient {
  /** The form that worked; null while none has. */
  private form: Form | null = null;

  constructor(
    private readonly participant: PlannedParticipant,
    private readonly token: string | null,
    private readonly send: Send = fetch,
    private readonly wire: Wire = "auto",
  ) {}

  /** Sends a request that is answered with a model: to train or to aggregate. */
  async parameters(bodies: RequestBodies, signal: AbortSignal, spool: Spool): Promise<Reply> {
    const response = await this.exchange(bodies, signal, BYTES);
    const spooled = await this.spooledBody(response, spool);
    if (isJson(response, spooled.path)) return fromJson(spooled, spool);
    const count = response.headers.get("x-turnpike-num-examples");
    return { spooled, numExamples: count === null ? null : Number(count) };
  }

  async evaluate(bodies: RequestBodies, signal: AbortSignal): Promise<Evaluation> {
    const response = await this.exchange(bodies, signal, JSON_TYPE);
    const bytes = await this.wholeBody(response, FACTS_BYTES_MAX);
    const answer = await attempt(async () => readObject(bytes));
    const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : null);
    const accuracy = number(answer.accuracy);
    if (accuracy === null) throw new ParticipantFailure("its accuracy is not a number", false);
    return { accuracy, loss: number(answer.loss), numExamples: number(answer.num_examples) };
  }

  /** One step of a secure round that carries no model. What the bytes of its answer mean is the caller's affair. */
  async step(path: string, question: Question, signal: AbortSignal): Promise<Uint8Array> {
    return this.wholeBody(await this.post(path, question, signal, JSON_TYPE), STEP_BYTES_MAX);
  }

  /** A masked update, taken in as it comes. */
  async masked(question: StreamedQuestion, signal: AbortSignal, spool: Spool): Promise<Spooled> {
    const response = await this.post("/secagg/masked", question, signal, BYTES);
    return this.spooledBody(response, spool);
  }

  /** What it says about itself. */
  async info(signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const bytes = await this.infoBytes(signal);
    return attempt(async () => readObject(bytes));
  }

  private async infoBytes(signal: AbortSignal): Promise<Uint8Array> {
    const response = await this.ask("/info", { headers: this.headers(), signal, redirect: "error" });
    return attempt(() => readBody(response, FACTS_BYTES_MAX));
  }

  /** Sends a request in the form that worked before, or in each form that the plan allows until one works. */
  private async exchange(bodies: RequestBodies, signal: AbortSignal, accept: string): Promise<Response> {
    if (this.form !== null) return this.postAs(this.form, bodies, signal, accept);
    if (this.wire === "json") return this.exchangeJson(bodies, signal);
    try {
      return await this.postAs("binary", bodies, signal, accept);
    } catch (refusal) {
      const isContractOnly = this.wire === "auto" && (await this.needsJson(refusal, signal));
      if (!isContractOnly) throw refusal;
      return this.exchangeJson(bodies, signal);
    }
  }

  /** Later versions of the original SDK serve `/call` alone. */
  private async exchangeJson(bodies: RequestBodies, signal: AbortSignal): Promise<Response> {
    try {
      return await this.postAs("json", bodies, signal, JSON_TYPE);
    } catch (refusal) {
      if (!(refusal instanceof ParticipantFailure) || !UNKNOWN_PATH.includes(refusal.status)) throw refusal;
      return await this.postAs("call", bodies, signal, JSON_TYPE).catch((thrown: unknown) => {
        const isUnknown = thrown instanceof ParticipantFailure && UNKNOWN_PATH.includes(thrown.status);
        throw isUnknown ? refusal : thrown;
      });
    }
  }

  private async postAs(form: Form, bodies: RequestBodies, signal: AbortSignal, accept: string): Promise<Response> {
    const path = form === "call" ? "/call" : `/${bodies.operation}`;
    const response = await this.post(path, await bodies.of(form), signal, accept);
    this.form = form;
    return response;
  }

  /** Whether a participant that refused a packed request implements the contract alone: it then has no `/info`. */
  private async needsJson(refusal: unknown, signal: AbortSignal): Promise<boolean> {
    if (!(refusal instanceof ParticipantFailure) || refusal.isSdkError || signal.aborted) return false;
    if (UNKNOWN_TYPE.includes(refusal.status)) return true;
    if (!MISREAD.includes(refusal.status)) return false;
    try {
      const info = recordIn(Buffer.from(await this.infoBytes(signal)).toString());
      return !Array.isArray(info?.methods);
    } catch (thrown) {
      return thrown instanceof ParticipantFailure && !MAYBE_INFO.includes(thrown.status);
    }
  }

  private post(
    path: string,
    { body, type }: Question | StreamedQuestion,
    signal: AbortSignal,
    accept: string,
  ): Promise<Response> {
    const headers = { ...this.headers(), accept, "content-type": type };
    return this.ask(path, { method: "POST", headers, body, signal, redirect: "error" });
  }

  private async ask(path: string, init: RequestInit): Promise<Response> {
    const { url } = this.participant;
    const response = await attempt(() =>
      this.send(url + path, init).catch((thrown) => Promise.reject(inPlace(thrown, url))),
    );
    if (response.ok) return response;
    const text = await attempt(() => readWords(response));
    const again = response.status >= 500 || response.status === 429;
    const words = `it answered ${response.status}: ${wordsIn(text)}`;
    throw new ParticipantFailure(words, again, {
      status: response.status,
      isSdkError: typeof recordIn(text)?.reason === "string",
      retryAfter: response.headers.get("retry-after"),
    });
  }

  private async spooledBody(response: Response, spool: Spool): Promise<Spooled> {
    const spooled = await spool(received(response)).catch((thrown: unknown) => {
      throw thrown instanceof TooManyBytes ? failureOf(thrown) : thrown;
    });
    checkDigest(response, Buffer.from(spooled.sha256, "hex").toString("base64"));
    return spooled;
  }

  private async wholeBody(response: Response, bytesMax: number): Promise<Uint8Array> {
    const bytes = await attempt(() => readBody(response, bytesMax));
    checkDigest(response, createHash("sha256").update(bytes).digest("base64"));
    return bytes;
  }

  private headers(): Record<string, string> {
    return this.token === null ? {} : { authorization: `Bearer ${this.token}` };
  }
}

function readObject(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(Buffer.from(bytes).toString());
  if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  throw new ParticipantFailure("its answer is not an object", false);
}

/** An answer that is held whole. More than it can be is not read. */
async function readBody(response: Response, bytesMax: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > bytesMax) throw new TooManyBytes(bytesMax);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The beginning of what a participant says of its failure. */
async function readWords(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    parts.push(part.subarray(0, WORDS_BYTES_MAX - length));
    length += part.length;
    if (length >= WORDS_BYTES_MAX) break;
  }
  return Buffer.concat(parts).toString();
}

/** The error of a participant's own form with its reason; the text of a page; anything else unchanged. */
function wordsIn(text: string): string {
  const { error, reason } = recordIn(text) ?? {};
  if (typeof error !== "string") return /^\s*</.test(text) ? textOfPage(text) : text;
  return typeof reason === "string" ? `${error.slice(0, ERROR_CHARS)} (${reason})` : error;
}

/** Frameworks answer errors with a page. Reports quote its text. */
const textOfPage = (html: string): string =>
  html
    .replaceAll(/<(style|script|head)\b.*?<\/\1>/gis, " ")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();

/** A response without a type is JSON if it begins like an object. */
function isJson(response: Response, path: string): boolean {
  const type = response.headers.get("content-type")?.toLowerCase() ?? "";
  if (type.includes("json")) return true;
  if (type.startsWith(BYTES)) return false;
  const start = Buffer.alloc(2);
  const handle = openSync(path, "r");
  try {
    readSync(handle, start);
  } finally {
    closeSync(handle);
  }
  return /^{["\s}]$/.test(start.toString("latin1"));
}

/** Takes the parameters of a JSON response out of its base64. */
async function fromJson({ path }: Spooled, spool: Spool): Promise<Reply> {
  try {
    const { fields, parameters } = readJsonResponse(path);
    const spooled = await spool(
      (async function* () {
        yield* parameters;
      })(),
    );
    const count = fields.num_examples ?? null;
    return { spooled, numExamples: count === null ? null : Number(count) };
  } finally {
    rmSync(path, { force: true });
  }
}

function checkDigest(response: Response, base64: string): void {
  const digest = response.headers.get("content-digest");
  if (digest !== null && digest !== `sha-256=:${base64}:`)
    throw new ParticipantFailure("its answer is not the one its digest speaks of", true);
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw failureOf(thrown);
  }
}

/** The bytes of an answer. What goes wrong with them is the participant's; what goes wrong where they are put is ours. */
async function* received({ body }: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* body ?? [];
  } catch (thrown) {
    throw failureOf(thrown);
  }
}

function failureOf(thrown: unknown): ParticipantFailure {
  if (thrown instanceof ParticipantFailure) return thrown;
  if (thrown instanceof TooManyBytes) return new ParticipantFailure(thrown.message, false);
  const timedOut = thrown instanceof Error && (thrown.name === "TimeoutError" || thrown.name === "AbortError");
  if (timedOut) return new ParticipantFailure("the deadline passed", false);
  return new ParticipantFailure(wordsOf(thrown), true);
}

/** The runtime does not say where nobody was; it asks back. */
const inPlace = (thrown: unknown, url: string): unknown =>
  thrown instanceof Error && "code" in thrown && thrown.code === "ECONNREFUSED"
    ? new Error(`nothing answers at ${new URL(url).origin}`, { cause: thrown })
    : thrown;

/** Without what the runtime advises its programmers: reports are for others. */
const wordsOf = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).replace(
    / For more information, pass `verbose: true`.*/s,
    "",
  );
