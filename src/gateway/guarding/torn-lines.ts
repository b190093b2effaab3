interface Span {
  readonly start: number;
  readonly end: number;
}

interface Line {
  readonly text: string;
  readonly isSaid: boolean;
}

const ARROW = "-->";

/**
 * A transcript in lines or subtitles such that nothing that is found in what is said goes over the end of a line: the rest of it
 * stands where it begins. A subtitle of which nothing is left is left out.
 */
export function joinTorn(transcript: string, find: (said: string) => readonly Span[]): string {
  const written = transcript.split("\n");
  const lines = written.map((text, at) => ({ text, isSaid: isSaid(text, written[at + 1]) }));
  const torn = tornAmong(
    lines.flatMap(({ text, isSaid }) => (isSaid ? [text.trim()] : [])),
    find,
  );
  return torn.size === 0 ? transcript : joined(lines, torn);
}

/** When a subtitle is shown, and what stands before that, is not said. */
const isSaid = (text: string, next = ""): boolean =>
  text.trim() !== "" && !text.includes(ARROW) && !next.includes(ARROW);

/** Those of the lines in which something goes on that begins before them. */
function tornAmong(said: readonly string[], find: (said: string) => readonly Span[]): ReadonlySet<number> {
  const torn = new Set<number>();
  let line = 0;
  let start = 0;
  for (const match of [...find(said.join(" "))].sort((a, b) => a.start - b.start)) {
    while (line < said.length && start <= match.start) start += (said[line++]?.length ?? 0) + 1;
    for (let [at, from] = [line, start]; at < said.length && from < match.end; at++) {
      torn.add(at);
      from += (said[at]?.length ?? 0) + 1;
    }
  }
  return torn;
}

function joined(lines: readonly Line[], torn: ReadonlySet<number>): string {
  const out: string[] = [];
  let said = -1;
  let last = 0;
  for (const { text, isSaid } of lines) {
    if (isSaid && torn.has(++said)) {
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
