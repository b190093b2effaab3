import { hashText } from "../seeded.ts";

/** OpenAI's `pcm` is 24 kHz as well, so that players made for it get the pitch right. */
export const SAMPLE_RATE = 24_000;
export const SPEECH_SECONDS_MAX = 60;

const SYLLABLE_SECONDS = 0.15;
const WORD_GAP_SECONDS = 0.05;
const STOP_GAP_SECONDS = 0.2;
/** A pentatonic scale: any order of its notes sounds agreeable. */
const SCALE = [1, 9 / 8, 5 / 4, 3 / 2, 5 / 3];

const VOICE_HZ: ReadonlyMap<string, number> = new Map([
  ["onyx", 131],
  ["ash", 147],
  ["echo", 165],
  ["ballad", 175],
  ["verse", 185],
  ["sage", 196],
  ["cedar", 208],
  ["alloy", 220],
  ["coral", 233],
  ["fable", 247],
  ["nova", 262],
  ["marin", 277],
  ["shimmer", 294],
]);

interface Note {
  readonly startSeconds: number;
  readonly seconds: number;
  readonly hz: number;
}

interface Melody {
  readonly notes: readonly Note[];
  readonly seconds: number;
}

/** Voices that OpenAI does not have get a pitch of their own as well. */
export function voiceHz(voice: string): number {
  return VOICE_HZ.get(voice) ?? 130 + (hashText(voice) % 170);
}

/** One note for each syllable, with a rest after each word; a text too long for the limit is sung faster. */
export function planMelody(text: string, baseHz: number, speed: number): Melody {
  const notes: Note[] = [];
  let seconds = 0;
  for (const [word] of text.matchAll(/\S+/g)) {
    const syllables = countSyllables(word);
    for (let syllable = 0; syllable < syllables; syllable++) {
      const step = SCALE[hashText(word.toLowerCase(), syllable) % SCALE.length] ?? 1;
      notes.push({ startSeconds: seconds, seconds: SYLLABLE_SECONDS, hz: baseHz * step });
      seconds += SYLLABLE_SECONDS;
    }
    seconds += /[.,;:!?…。、]$/u.test(word) ? STOP_GAP_SECONDS : WORD_GAP_SECONDS;
  }
  const tempo = Math.max(speed, seconds / SPEECH_SECONDS_MAX);
  return {
    notes: notes.map((note) => ({ ...note, startSeconds: note.startSeconds / tempo, seconds: note.seconds / tempo })),
    seconds: Math.max(seconds / tempo, 0.1),
  };
}

/** Groups of vowels; a character each where a script has none that we know. */
function countSyllables(word: string): number {
  const vowelGroups = word.match(/[aeiouyàâäáãåæèéêëìíîïòóôöõøùúûü]+/giu);
  if (vowelGroups !== null) return vowelGroups.length;
  return /[^\p{ASCII}]/u.test(word) ? Array.from(word).length : 1;
}

export function renderMelody({ notes, seconds }: Melody): Int16Array {
  const samples = new Int16Array(Math.ceil(seconds * SAMPLE_RATE));
  for (const note of notes) renderNote(samples, note);
  return samples;
}

/** A soft tone of three partials that sets in quickly and dies away. */
function renderNote(samples: Int16Array, { startSeconds, seconds, hz }: Note): void {
  const start = Math.round(startSeconds * SAMPLE_RATE);
  const length = Math.min(Math.round(seconds * SAMPLE_RATE), samples.length - start);
  const attack = Math.max(1, Math.min(SAMPLE_RATE * 0.015, length / 4));
  const turn = (2 * Math.PI * hz) / SAMPLE_RATE;
  for (let at = 0; at < length; at++) {
    const envelope = Math.min(1, at / attack) * (1 - at / length) ** 1.5;
    const phase = at * turn;
    const tone = Math.sin(phase) + 0.35 * Math.sin(2 * phase) + 0.12 * Math.sin(3 * phase);
    samples[start + at] = Math.round(tone * envelope * 11_000);
  }
}
