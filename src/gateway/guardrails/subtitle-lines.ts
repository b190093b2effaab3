interface Span {
  readonly start: number;
  readonly end: number;
}

interface Line {
  /** What is said and what marks it, in turn. */
  readonly parts: string[];
  readonly isSaid: boolean;
  /** Something goes on in it that begins before it. */
  isTorn: boolean;
}

/** Where a line begins, or a mark in it stands, in all that is said. */
interface Border {
  readonly at: number;
  readonly line: Line;
  /** The mark's place in the line; 0 for the line itself. */
  readonly mark: number;
}

const ARROW = "-->";
/** Who speaks, how it is drawn, and when. */
const MARK = /(<(?:\/?(?:v|c|i|b|u|s|lang|ruby|rt|font)\b[^<>]*|\d+:[\d:.]+)>)/i;

/**
 * A transcript in lines or subtitles such that nothing that is found in what is said goes over the end of a line, or over a mark: the
 * rest of it stands where it begins, without the marks inside of it. A subtitle of which nothing is left is left out.
 */
export function joinSubtitleLines(transcript: string, find: (said: string) => readonly Span[]): string {
  // In one line without marks nothing is torn.
  if (!transcript.includes("\n") && !transcript.includes("<")) return transcript;
  const written = transcript.split("\n");
  const lines = written.map((text, at) => {
    const isSaid = isSpoken(text, written[at + 1]);
    return { parts: isSaid ? text.split(MARK) : [text], isSaid, isTorn: false };
  });
  return tear(lines, find) ? joined(lines) : transcript;
}

/** When a subtitle is shown, and what stands before that, is not said. */
const isSpoken = (text: string, next = ""): boolean =>
  text.trim() !== "" && !text.includes(ARROW) && !next.includes(ARROW);

/** Takes out the marks inside of what is found, and notes the lines in which it goes on; false where there are neither. */
function tear(lines: readonly Line[], find: (said: string) => readonly Span[]): boolean {
  const [said, borders] = saidIn(lines);
  let isTorn = false;
  let next = 0;
  for (const { start, end } of [...find(said)].sort((a, b) => a.start - b.start)) {
    while (next < borders.length && (borders[next] as Border).at <= start) next++;
    for (let index = next; index < borders.length && (borders[index] as Border).at < end; index++) {
      const { line, mark } = borders[index] as Border;
      if (mark === 0) line.isTorn = true;
      else line.parts[mark] = "";
      isTorn = true;
    }
  }
  return isTorn;
}

/** All that is said, with a blank between any two words. */
function saidIn(lines: readonly Line[]): [said: string, borders: readonly Border[]] {
  const borders: Border[] = [];
  let said = "";
  let isApart = true;
  const say = (text: string): void => {
    const words = text.replace(/\s+/g, " ");
    const shown = isApart && words.startsWith(" ") ? words.slice(1) : words;
    if (shown !== "") isApart = shown.endsWith(" ");
    said += shown;
  };
  for (const line of lines) {
    if (!line.isSaid) continue;
    say(" ");
    borders.push({ at: said.length, line, mark: 0 });
    for (const [index, part] of line.parts.entries()) {
      if (index % 2 === 1) borders.push({ at: said.length, line, mark: index });
      else say(part);
    }
  }
  return [said, borders];
}

function joined(lines: readonly Line[]): string {
  const out: string[] = [];
  let last = 0;
  for (const { parts, isSaid, isTorn } of lines) {
    const text = parts.join("");
    if (isTorn) {
      out[last] = `${out[last]?.trimEnd()} ${text.trimStart()}`;
      continue;
    }
    const isBare = !isSaid && text.trim() === "" && out.at(-1)?.includes(ARROW);
    if (isBare) out.length = startOfLast(out);
    else out.push(text);
    if (isSaid) last = out.length - 1;
  }
  if (out.at(-1)?.includes(ARROW)) out.length = startOfLast(out);
  return out.join("\n");
}

/** Of the subtitle whose time is the last line: what stands before it belongs to it, up to a blank one. */
function startOfLast(out: readonly string[]): number {
  let at = out.length - 1;
  while (at > 0 && out[at - 1]?.trim() !== "") at--;
  return at;
}
