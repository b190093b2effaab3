import { GatewayError } from "../contract/errors.ts";
import type { Provider, SentForm, Target, UpstreamRequest } from "./dialect.ts";
import { providerOf } from "./registry.ts";
import { silentWav } from "./silent-wav.ts";

interface Probe {
  readonly request: UpstreamRequest;
  readonly provider: Provider;
}

const WORD = "ping";
/** Reasoning models refuse a limit that leaves them no room to think of an answer at all. */
const TOKENS = 16;

/** The smallest request of each kind of model, by the catalogue's `mode`. */
const SMALLEST: Readonly<Record<string, (provider: Provider, target: Target) => UpstreamRequest | undefined>> = {
  chat: encodeChat,
  responses: encodeChat,
  completion: (provider, target) =>
    provider.completion?.encode({ model: WORD, prompt: WORD, max_tokens: TOKENS }, target) ??
    encodeChat(provider, target),
  embedding: (provider, target) => provider.embedding?.encode({ model: WORD, input: WORD }, target),
  rerank: (provider, target) => provider.rerank?.encode({ model: WORD, query: WORD, documents: [WORD] }, target),
  image_generation: (provider, target) => provider.image?.encode({ model: WORD, prompt: WORD, n: 1 }, target),
  moderation: (provider, target) => provider.moderation?.encode({ model: WORD, input: WORD }, target),
  audio_speech: (provider, target) => provider.speech?.encode({ model: WORD, input: WORD, voice: "alloy" }, target),
  audio_transcription: (provider, target) => provider.transcription?.encode(silence(), target),
  realtime: (provider, target) => provider.realtime?.encode({}, target),
};

/** A request that tells whether a deployment answers, and costs next to nothing. */
export function encodeProbe(target: Target, mode: string): Probe {
  const provider = providerOf(target);
  if (!provider) throw new GatewayError("invalid_request", `The provider \`${target.provider}\` is not served yet.`);
  const encode = Object.hasOwn(SMALLEST, mode) ? SMALLEST[mode] : undefined;
  if (!encode) throw new GatewayError("invalid_request", `Models of the kind \`${mode}\` cannot be checked.`);
  const request = encode(provider, target);
  if (!request) throw new GatewayError("invalid_request", `${provider.title} has no models of the kind \`${mode}\`.`);
  return { request, provider };
}

function encodeChat(provider: Provider, target: Target): UpstreamRequest | undefined {
  return provider.chat?.encode(
    { model: WORD, messages: [{ role: "user", content: WORD }], max_tokens: TOKENS },
    target,
  );
}

const silence = (): SentForm => ({
  fields: [],
  files: [{ field: "file", name: "silence.wav", type: "audio/wav", read: () => new Blob([silentWav()]).stream() }],
});
