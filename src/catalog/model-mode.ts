/** What a name says about what a model is for. The first that fits counts. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/(^|[-/])realtime(-|$)/, "realtime"],
  [/rerank/, "rerank"],
  [/embed|(^|\/)voyage-/, "embedding"],
  [/moderation/, "moderation"],
  [/whisper|transcribe|voxtral-mini/, "audio_transcription"],
  [/(^|[-/])tts(-|$)|text-to-speech/, "audio_speech"],
  [/dall-e|gpt-image|imagen-|stable-diffusion|flux[-.]/, "image_generation"],
  [/^(davinci-002|babbage-002|gpt-3\.5-turbo-instruct)/, "completion"],
];

/** What a model is for, as model information names it. */
export function modeOf(provider: string, model: string): string {
  if (provider.startsWith("text-completion-") || provider.endsWith("_text")) return "completion";
  const name = model.toLowerCase();
  return NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? "chat";
}
