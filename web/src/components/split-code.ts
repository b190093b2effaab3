/** A piece of what somebody said: running text, or code with the fences around it. */
export interface SpokenPiece {
  readonly isCode: boolean;
  readonly text: string;
}

/** Marks that are closed in the same line are no fence. */
const FENCE = /^\s*(`{3,}(?!.*`)|~{3,})/;

/** Tells fenced code from the text around it. Nothing is left out or changed; a fence that is still open goes on to the end. */
export function splitCode(text: string): readonly SpokenPiece[] {
  const pieces: { isCode: boolean; lines: string[] }[] = [];
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const found = FENCE.exec(line)?.[1];
    const opens = fence === null && found !== undefined;
    const last = pieces.at(-1);
    if (last === undefined || opens || last.isCode !== (fence !== null)) {
      pieces.push({ isCode: opens || fence !== null, lines: [line] });
    } else last.lines.push(line);
    if (opens) fence = found;
    // Code may hold shorter fences, and those of the other kind.
    else if (fence !== null && found?.startsWith(fence) && line.trim() === found) fence = null;
  }
  return pieces.map(({ isCode, lines }) => ({ isCode, text: lines.join("\n") }));
}
