import { GatewayError } from "../../contract/errors.ts";
import { recordIn } from "../../lib/json.ts";
import { loadSoundLength } from "../../lib/sound/load-sound-length.ts";
import type { SoundFile } from "../../lib/sound/sound-file.ts";
import { sseText } from "../../lib/sse.ts";
import type { FormField, Provider, SentFile } from "../../providers/dialect.ts";
import { hasFailure, innerFailure } from "../../providers/openai-form/inner-failure.ts";
import { readBytes } from "../attempts/read-response.ts";
import type { Choice } from "../attempts/resolve-target.ts";
import { type Exchange, exchange } from "../attempts/upstream-request.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import { release } from "../guardrails/release.ts";
import type { AnswerGuard } from "../guardrails/response-guard.ts";
import type { MeteredCall } from "../metering/call-accounting.ts";
import { soundLength } from "../metering/prompt-size.ts";
import { lastObject, TranscriptNotes } from "../metering/transcript-notes.ts";
import { answerHeaders } from "../pipeline/response-headers.ts";
import { metered } from "../pipeline/run-inference.ts";
import { UpstreamReader } from "../streaming/upstream-reader.ts";
import { sentFields } from "./form-fields.ts";
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
  const work: Parameters<typeof metered>[4] = async (choice, meter) => {
    const dialect = choice.provider[operation];
    if (!dialect) throw notServed(choice.provider, operation);
    const sentForm = { fields: sentFields(form.fields, choice.fields), files: [form.file] };
    const sent = await exchange(deps, call, choice, dialect.encode(sentForm, choice.target), false);
    const type = sent.response.headers.get("content-type") ?? "application/json";
    if (!EVENTS.test(type) || meter.guard?.looksAtAnswer) return wholeTranscript(deps, call, choice, meter, sent, type);
    const reader = new UpstreamReader(sent, choice.timeoutMs);
    meter.watch(sent.deadline.signal);
    return new Response(await relayBytes(reader, meter, new TranscriptNotes(meter)), {
      headers: { ...answerHeaders(deps, call, choice, sent), "content-type": type },
    });
  };
  const sound = soundLength(form.file.sizeBytes, await loadSoundLength(form.file));
  return metered(deps, call, operation, fields, work, { sound, pictures: 0 });
}

const EVENTS = /^text\/event-stream\b/i;

/** A transcript that is no stream, or that guardrails look at, is read to its end before any of it leaves: then it is known what it costs. */
async function wholeTranscript(
  deps: GatewayDeps,
  call: InferenceCall,
  choice: Choice,
  meter: MeteredCall,
  sent: Exchange,
  type: string,
): Promise<Response> {
  const bytes = await readBytes(sent);
  requireTranscript(bytes, choice.provider);
  const notes = new TranscriptNotes(meter);
  notes.bytes(bytes);
  notes.whole();
  const shown = await release<string | Buffer>(meter, (guard) => lookAt(guard, bytes), bytes);
  meter.begin();
  await meter.succeed();
  return new Response(shown, {
    headers: { ...answerHeaders(deps, call, choice, sent, meter.cost), "content-type": type },
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

async function lookAt(guard: AnswerGuard, bytes: Buffer): Promise<string | Buffer> {
  if (!guard.looksAtAnswer) {
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
async function lookAtEvents(guard: AnswerGuard, text: string): Promise<string> {
  const done = await guard.plain(lastObject(text) ?? "{}");
  const { text: whole } = JSON.parse(done) as { text?: unknown };
  const delta = JSON.stringify({ type: "transcript.text.delta", delta: whole });
  return sseText(delta) + sseText(done);
}
