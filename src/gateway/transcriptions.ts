import type { TranscriptionForm } from "../providers/dialect.ts";
import { answerHeaders } from "./answer-headers.ts";
import { choose } from "./choose.ts";
import type { GatewayDeps, InferenceCall } from "./deps.ts";
import { exchange } from "./exchange.ts";
import { notServed } from "./pass-on.ts";
import { relayBytes } from "./speech.ts";
import { tellWhere } from "./tell-where.ts";
import { UpstreamReader } from "./upstream-reader.ts";

/** The story of a transcription: the file streams through to the upstream, and its answer, in whatever format, comes back. */
export async function transcribe(deps: GatewayDeps, call: InferenceCall, form: TranscriptionForm): Promise<Response> {
  const choice = choose(deps, call, "transcription", Object.fromEntries(form.fields));
  return tellWhere(choice, async () => {
    const dialect = choice.provider.transcription;
    if (!dialect) throw notServed(choice.provider, "transcription");
    const kept = form.fields.filter(
      ([name]) => choice.fields[name.replace("[]", "")] !== undefined || name.endsWith("[]"),
    );
    const sent = await exchange(deps, call, choice, dialect.encode({ ...form, fields: kept }, choice.target), false);
    const reader = new UpstreamReader(sent, choice.timeoutMs);
    const type = sent.response.headers.get("content-type") ?? "application/json";
    return new Response(relayBytes(reader), {
      headers: { ...answerHeaders(deps, call, choice, sent), "content-type": type },
    });
  });
}
