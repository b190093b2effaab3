import { GatewayError } from "../../contract/errors.ts";
import { recordIn } from "../../lib/json.ts";
import { loadSoundLength } from "../../lib/sound/load-sound-length.ts";
import type { SoundFile } from "../../lib/sound/sound-file.ts";
import { sseText } from "../../lib/sse.ts";
import type { FormField, Provider, SentFile } from "../../providers/dialect.ts";
import { hasFailure, innerFailure } from "../../providers/openai-form/inner-failure.ts";
import { readBytes } from "../attempts/read-response.ts";
import type { ResolvedTarget } from "../attempts/resolve-target.ts";
import { type Exchange, exchange } from "../attempts/upstream-request.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { release } from "../guardrails/release.ts";
import type { ResponseGuard } from "../guardrails/response-guard.ts";
import type { CallAccounting } from "../metering/call-accounting.ts";
import { soundLength } from "../metering/prompt-size.ts";
import { lastObject, TranscriptNotes } from "../metering/transcript-notes.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { runInference } from "../pipeline/run-inference.ts";
import { UpstreamReader } from "../streaming/upstream-reader.ts";
import { toFormFields } from "./form-fields.ts";
import { notServed } from "./forward.ts";
import { relayBytes } from "./relay-bytes.ts";

/** A sound, and what is asked of it. */
interface SoundForm {
  readonly fields: readonly FormField[];
  readonly file: SentFile & SoundFile;
}

/**
 * The story of a transcription or a translation: the file streams through to the upstream, and its answer, in whatever
 * format, comes back; event by event where it is a stream.
 */
export async function transcribe(
  deps: GatewayDeps,
  call: InferenceCall,
  operation: "transcription" | "translation",
  form: SoundForm,
  fields: Fields,
): Promise<Response> {
  const work: Parameters<typeof runInference>[4] = async (target, accounting) => {
    const dialect = target.provider[operation];
    if (!dialect) throw notServed(target.provider, operation);
    const sentForm = { fields: toFormFields(form.fields, target.fields), files: [form.file] };
    const sent = await exchange(deps, call, target, dialect.encode(sentForm, target.endpoint), false);
    const type = sent.response.headers.get("content-type") ?? "application/json";
    if (!EVENTS.test(type) || accounting.guard?.checksResponse)
      return wholeTranscript(deps, call, target, accounting, sent, type);
    const reader = new UpstreamReader(sent, target.timeoutMs);
    accounting.watch(sent.deadline.signal);
    return new Response(await relayBytes(reader, accounting, new TranscriptNotes(accounting)), {
      headers: { ...answerHeaders(deps, call, target, sent), "content-type": type },
    });
  };
  const sound = soundLength(form.file.sizeBytes, await loadSoundLength(form.file));
  return runInference(deps, call, operation, fields, work, { sound, pictures: 0 });
}

const EVENTS = /^text\/event-stream\b/i;

/** A transcript that is no stream, or that guardrails look at, is read to its end before any of it leaves: then it is known what it costs. */
async function wholeTranscript(
  deps: GatewayDeps,
  call: InferenceCall,
  target: ResolvedTarget,
  accounting: CallAccounting,
  sent: Exchange,
  type: string,
): Promise<Response> {
  const bytes = await readBytes(sent);
  requireTranscript(bytes, target.provider);
  const notes = new TranscriptNotes(accounting);
  notes.bytes(bytes);
  notes.whole();
  const shown = await release<string | Buffer>(accounting, (guard) => lookAt(guard, bytes), bytes);
  accounting.begin();
  await accounting.succeed();
  return new Response(shown, {
    headers: { ...answerHeaders(deps, call, target, sent, accounting.cost), "content-type": type },
  });
}

const PAGE = /^\s*<(!doctype\s+html|html)\b/i;
/** Whatever is longer is no mere error. */
const FAILURE_BYTES_MAX = 64 * 1024;

/** An error or a page that came with the status of success. */
function requireTranscript(bytes: Buffer, provider: Provider): void {
  if (bytes.length > FAILURE_BYTES_MAX) return;
  const text = bytes.toString("utf8");
  if (PAGE.test(text)) throw new GatewayError("upstream", "The provider's answer is not a transcript.");
  const body = recordIn(text);
  if (body && hasFailure(body) && body.text === undefined) throw innerFailure(body, provider);
}

async function lookAt(guard: ResponseGuard, bytes: Buffer): Promise<string | Buffer> {
  if (!guard.checksResponse) {
    await guard.beside();
    return bytes;
  }
  const text = bytes.toString("utf8");
  if (text.trimStart().startsWith("{") && isJson(text)) return guard.plain(text);
  return /^(data|event):/.test(text) ? lookAtEvents(guard, text) : guard.text(text);
}

/** A brace may also be the first thing that somebody is heard to say. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Of a stream of events the last one has the whole text; it then comes in one piece. */
async function lookAtEvents(guard: ResponseGuard, text: string): Promise<string> {
  const done = await guard.plain(lastObject(text) ?? "{}");
  const { text: whole } = JSON.parse(done) as { text?: unknown };
  const delta = JSON.stringify({ type: "transcript.text.delta", delta: whole });
  return sseText(delta) + sseText(done);
}
