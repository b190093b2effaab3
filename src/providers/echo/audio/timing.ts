export interface TimedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function timeWords(text: string, seconds: number): readonly TimedText[] {
  return spread(text.match(/\S+/g) ?? [], seconds);
}

const SEGMENT_WORDS_MAX = 12;

/** Sentences, and long ones in parts, as a subtitle shows them. */
export function timeSegments(text: string, seconds: number): readonly TimedText[] {
  const segments: string[][] = [[]];
  for (const word of text.match(/\S+/g) ?? []) {
    const current = segments.at(-1);
    if (current === undefined) break;
    current.push(word);
    if (/[.!?…。]$/u.test(word) || current.length >= SEGMENT_WORDS_MAX) segments.push([]);
  }
  return spread(
    segments.filter((words) => words.length > 0).map((words) => words.join(" ")),
    seconds,
  );
}

/** Times in proportion to length: the parts follow each other and fill the whole time. */
function spread(parts: readonly string[], seconds: number): readonly TimedText[] {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  let before = 0;
  return parts.map((text) => {
    const start = before;
    before += text.length;
    return { text, start: roundMs((start / total) * seconds), end: roundMs((before / total) * seconds) };
  });
}

export function roundMs(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}
