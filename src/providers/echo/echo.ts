/**
 * Echo: an upstream that needs no key and no network. It speaks OpenAI's HTTP interface, counts honestly what it reads and
 * sends, and gives the same answer to the same request.
 *
 *   chat            `You said: <the last user message>`; other parts of it are described: `[image]`, `[audio]`, `[file: a.pdf]`.
 *                   After a tool's result: `<tool> answered: <result>`. JSON mode: `{"echo": "You said: ..."}`; with a
 *                   JSON schema the smallest value of it, the user's text in its first open string
 *   tools           called when the message mentions them or `tool_choice` asks for it: chat/tools.ts
 *   completions     `You said: <prompt>`
 *   embeddings      hashed words and trigrams: near for texts that share words: vector/embed.ts
 *   images          a PNG landscape drawn from the prompt; of an edit, over the given picture: image/edits.ts
 *   speech          a WAV with a note for each syllable, and the text in its comment
 *   transcriptions  the text of echo's own speech; of other audio its length. Translations the same: echo speaks no languages
 *   moderations     flags a short list of words: moderation.ts
 *
 * Tokens are pieces of text/tokenize.ts. For tests it misbehaves on demand: fault.ts.
 */
import { speech } from "./audio/speech.ts";
import { transcription, translation } from "./audio/transcription.ts";
import type { Operation } from "./call.ts";
import { chat } from "./chat/chat.ts";
import { completion } from "./completion/completion.ts";
import { EchoFailure, failureBody } from "./failure.ts";
import type { Fault } from "./fault.ts";
import { FaultBook } from "./fault.ts";
import { edits } from "./image/edits.ts";
import { images } from "./image/images.ts";
import { cutBody, misbehaveAtOnce } from "./misbehave.ts";
import { type MediaKind, models, requireKind } from "./models.ts";
import { moderation } from "./moderation.ts";
import { readRequest } from "./read-request.ts";
import { embeddings } from "./vector/embeddings.ts";

interface EchoDeps {
  readonly nowMs: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** The random part of ids; the default is a UUID without dashes. */
  readonly newId?: () => string;
}

interface Served {
  readonly method: string;
  readonly suffix: string;
  readonly run: Operation;
  /** What a model has to be for; absent where any will do. */
  readonly kind?: MediaKind;
}

/** Matched against the end of the path, the longest first, so that any base path works. */
const OPERATIONS: readonly Served[] = [
  { method: "POST", suffix: "/chat/completions", run: chat },
  { method: "POST", suffix: "/completions", run: completion },
  { method: "POST", suffix: "/embeddings", run: embeddings },
  { method: "POST", suffix: "/images/generations", run: images, kind: "image" },
  { method: "POST", suffix: "/images/edits", run: edits, kind: "image" },
  { method: "POST", suffix: "/audio/speech", run: speech, kind: "speech" },
  { method: "POST", suffix: "/audio/transcriptions", run: transcription, kind: "transcription" },
  { method: "POST", suffix: "/audio/translations", run: translation, kind: "transcription" },
  { method: "POST", suffix: "/moderations", run: moderation },
  { method: "GET", suffix: "/models", run: models },
];

export function createEcho(deps: EchoDeps): (request: Request) => Promise<Response> {
  const faults = new FaultBook();
  const newId = deps.newId ?? (() => crypto.randomUUID().replaceAll("-", ""));
  return async (request) => {
    const response = await answer(request, deps, newId, faults).catch(answerFailure);
    response.headers.set("x-request-id", `req_${newId()}`);
    return response;
  };
}

async function answer(request: Request, deps: EchoDeps, newId: () => string, faults: FaultBook): Promise<Response> {
  const { run, kind } = findOperation(request);
  const { body, form } = await readRequest(request);
  if (kind !== undefined) requireKind(body.model, kind);
  const fault = faults.take(body);
  if (fault !== undefined && fault.delayMs > 0) await deps.sleep(fault.delayMs, request.signal);
  const isStream = body.stream === true || body.stream === "true";
  const misbehaved = fault && misbehaveAtOnce(fault, isStream);
  if (misbehaved !== undefined) return misbehaved;
  const response = await run({
    body,
    form,
    nowMs: deps.nowMs,
    newId,
    pace: { fault, sleep: deps.sleep, signal: request.signal },
  });
  return isStream ? response : cutIfAsked(response, fault);
}

function cutIfAsked(response: Response, fault: Fault | undefined): Response | Promise<Response> {
  return fault?.cutAfter === undefined ? response : cutBody(response);
}

function findOperation(request: Request): Served {
  const { pathname } = new URL(request.url);
  const operation = OPERATIONS.find(({ suffix }) => pathname.endsWith(suffix));
  if (operation === undefined) throw new EchoFailure(404, `Unknown path: ${pathname}`, null, "unknown_url");
  if (operation.method === request.method) return operation;
  throw new EchoFailure(
    405,
    `${pathname} takes ${operation.method}, not ${request.method}.`,
    null,
    "method_not_supported",
  );
}

function answerFailure(reason: unknown): Response {
  if (reason instanceof EchoFailure) return Response.json(failureBody(reason), { status: reason.status });
  throw reason;
}
