import type { TranscriptionForm } from "../providers/dialect.ts";
import { answerHeaders } from "./answer-headers.ts";
import type { GatewayDeps, InferenceCall } from "./deps.ts";
import { exchange } from "./exchange.ts";
import { metered } from "./metering/metered.ts";
import { TranscriptNotes } from "./metering/transcript-notes.ts";
import { notServed } from "./pass-on.ts";
import { relayBytes } from "./relay-bytes.ts";
import { UpstreamReader } from "./upstream-reader.ts";

/** The story of a transcription: the file streams through to the upstream, and its answer, in whatever format, comes back. */
export async function transcribe(deps: GatewayDeps, call: InferenceCall, form: TranscriptionForm): Promise<Response> {
  const fields = Object.fromEntries(form.fields);
  const work: Parameters<typeof metered>[4] = async (choice, meter) => {
    const dialect = choice.provider.transcription;
    if (!dialect) throw notServed(choice.provider, "transcription");
    const kept = form.fields.filter(
      ([name]) => choice.fields[name.replace("[]", "")] !== undefined || name.endsWith("[]"),
    );
    const sent = await exchange(deps, call, choice, dialect.encode({ ...form, fields: kept }, choice.target), false);
    const reader = new UpstreamReader(sent, choice.timeoutMs);
    meter.watch(sent.deadline.signal);
    const type = sent.response.headers.get("content-type") ?? "application/json";
    return new Response(await relayBytes(reader, meter, new TranscriptNotes(meter)), {
      headers: { ...answerHeaders(deps, call, choice, sent), "content-type": type },
    });
  };
  return metered(deps, call, "transcription", fields, work, form.file.sizeBytes ?? 0);
}
