import { planMelody, renderMelody, voiceHz } from "../audio/synthesize.ts";
import { pcmBytes } from "../audio/wav.ts";
import { tokenize } from "../text/tokenize.ts";

export interface Event extends Readonly<Record<string, unknown>> {
  readonly type: string;
}

/** What something in a conversation comes to, in tokens. */
export interface Weight {
  readonly text: number;
  readonly audio: number;
}

interface Asked {
  readonly text: string;
  readonly spoken: boolean;
  readonly voice: string;
  readonly newId: () => string;
  readonly read: Weight;
  readonly cached: Weight;
  readonly metadata: unknown;
}

interface Answer {
  readonly events: readonly Event[];
  readonly item: Readonly<Record<string, unknown>> & { readonly id: string };
  /** What it adds to the conversation. */
  readonly weight: Weight;
}

const BYTES_PER_TOKEN = 2400;
const CHUNK_BYTES = 24_000;

export const isSpoken = (modalities: unknown): boolean => !Array.isArray(modalities) || modalities.includes("audio");

/** One response with all of its events. What is spoken comes in words as well, which are counted too. */
export function answerEvents({ text, spoken, voice, newId, read, cached, metadata }: Asked): Answer {
  const [responseId, itemId] = [`resp_${newId()}`, `item_${newId()}`];
  const at = { response_id: responseId, item_id: itemId, output_index: 0, content_index: 0 };
  const words = tokenize(text);
  const sound = spoken ? pcmBytes(renderMelody(planMelody(text, voiceHz(voice), 1))) : Buffer.alloc(0);
  const said = { text: words.length, audio: Math.ceil(sound.length / BYTES_PER_TOKEN) };
  const head = { id: itemId, object: "realtime.item", type: "message", role: "assistant" };
  const part = spoken ? { type: "output_audio", transcript: text } : { type: "output_text", text };
  const empty = spoken ? { type: "output_audio", transcript: "" } : { type: "output_text", text: "" };
  const item = { ...head, status: "completed", content: [part] };
  const response = { object: "realtime.response", id: responseId, metadata };
  const name = spoken ? "response.output_audio_transcript" : "response.output_text";
  const done = spoken ? { transcript: text } : { text };
  const events: Event[] = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    {
      type: "response.output_item.added",
      response_id: responseId,
      output_index: 0,
      item: { ...head, status: "in_progress", content: [] },
    },
    { type: "conversation.item.added", previous_item_id: null, item: { ...head, status: "in_progress", content: [] } },
    { type: "response.content_part.added", ...at, part: empty },
    ...words.map((delta) => ({ type: `${name}.delta`, ...at, delta })),
    ...chunks(sound).map((delta) => ({ type: "response.output_audio.delta", ...at, delta })),
    ...(spoken ? [{ type: "response.output_audio.done", ...at }] : []),
    { type: `${name}.done`, ...at, ...done },
    { type: "response.content_part.done", ...at, part },
    { type: "conversation.item.done", previous_item_id: null, item },
    { type: "response.output_item.done", response_id: responseId, output_index: 0, item },
    {
      type: "response.done",
      response: { ...response, status: "completed", output: [item], usage: usageOf(read, cached, said) },
    },
  ];
  return { events, item, weight: said };
}

function chunks(sound: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < sound.length; at += CHUNK_BYTES)
    found.push(sound.subarray(at, at + CHUNK_BYTES).toString("base64"));
  return found;
}

/** As OpenAI tells it: what a cache had is in the counts of text and sound. */
function usageOf(read: Weight, cached: Weight, said: Weight) {
  const [input, output] = [read.text + read.audio, said.text + said.audio];
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_token_details: {
      text_tokens: read.text,
      audio_tokens: read.audio,
      image_tokens: 0,
      cached_tokens: cached.text + cached.audio,
      cached_tokens_details: { text_tokens: cached.text, audio_tokens: cached.audio, image_tokens: 0 },
    },
    output_token_details: { text_tokens: said.text, audio_tokens: said.audio },
  };
}
