import { GatewayError } from "../../contract/errors.ts";
import type { Deadline } from "../../lib/deadlines.ts";
import { isRecord, isTooDeep } from "../../lib/json.ts";
import type { UpstreamRequest } from "../../providers/dialect.ts";
import type { GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { ResolvedTarget } from "./resolve-target.ts";
import {
  type Exchange,
  explain,
  type Returned,
  readFailure,
  send,
  startDeadline,
  withHop,
} from "./upstream-request.ts";

/** No answer of a model is this long; what is longer is not one. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** An answer that was read whole. */
export interface WholeAnswer extends Returned {
  readonly text: string;
}

/** `exchange` and `readText` as one, so that whoever asks for a text waits once. */
export async function exchangeText(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  request: UpstreamRequest,
): Promise<WholeAnswer> {
  const deadline = startDeadline(deps, call, target);
  const sentAtMs = deps.clock.monotonicMs();
  try {
    const response = await send(deps, target, withHop(request, call), deadline);
    if (!response.ok) throw await readFailure(response, target.provider, deadline, target);
    return { response, sentAtMs, text: await textOf(response) };
  } catch (thrown) {
    throw giveUp(thrown, deadline);
  } finally {
    deadline.clear();
  }
}

/** The whole text of an answer, within the call's time limits. */
export const readText = (sent: Exchange): Promise<string> => readWhole(sent, textOf);

function textOf(response: Response): Promise<string> {
  return boundedLength(response) === null ? readCounted(response) : response.text();
}

/** The same as the bytes that it is made of, for what may be in any format. */
export const readBytes = (sent: Exchange): Promise<Buffer> => readWhole(sent, bytesOf);

async function bytesOf(response: Response): Promise<Buffer> {
  if (boundedLength(response) !== null) return Buffer.from(await response.arrayBuffer());
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > ANSWER_BYTES_MAX) throw tooLong();
  }
  return Buffer.concat(chunks);
}

/** An answer that is so long that it is better not made a text of; null for all others. */
export function readLong(sent: Exchange): Promise<Buffer> | null {
  if ((declaredLength(sent.response) ?? 0) < LONG_BYTES) return null;
  return readWhole(sent, async (response) => {
    boundedLength(response);
    return Buffer.from(await response.arrayBuffer());
  });
}

const LONG_BYTES = 1024 * 1024;

/** What is declared counts only where nothing else decides how much arrives. */
function declaredLength({ headers }: Response): number | null {
  const declared = headers.get("content-length");
  if (declared === null || headers.has("content-encoding") || headers.has("transfer-encoding")) return null;
  return Number(declared);
}

/** The same; throws where it is too much. */
function boundedLength(response: Response): number | null {
  const declared = declaredLength(response);
  if (declared !== null && declared > ANSWER_BYTES_MAX) throw tooLong();
  return declared;
}

async function readWhole<T>({ response, deadline }: Exchange, read: (response: Response) => Promise<T>): Promise<T> {
  try {
    return await read(response);
  } catch (thrown) {
    throw giveUp(thrown, deadline);
  } finally {
    deadline.clear();
  }
}

/** Whatever is still on its way is not wanted any more. */
function giveUp(thrown: unknown, deadline: Deadline): unknown {
  const reason = explain(thrown, deadline.signal);
  deadline.abort(reason);
  return reason;
}

/** A chunked answer does not say its length, so it is counted while it arrives. */
async function readCounted(response: Response): Promise<string> {
  if (!response.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > ANSWER_BYTES_MAX) throw tooLong();
  }
  return text + decoder.decode();
}

export const tooLong = (): GatewayError => new GatewayError("upstream", "The provider's answer is too long.");

/** An answer that is not JSON, or that nobody could read or write without end, never reaches the caller. */
export function parseAnswer(text: string): unknown {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new GatewayError("upstream", "The provider's answer is not valid JSON.", { cause });
  }
  if (isTooDeep(parsed, text)) throw new GatewayError("upstream", "The provider's answer is nested too deeply.");
  return parsed;
}

export function requireRecord(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new GatewayError("upstream", "The provider's answer is not a JSON object.");
}
