/** The candidate that `word` was most likely meant to be, if one is near enough. */
export function suggest(word: string, candidates: Iterable<string>, distanceMax = 3): string | null {
  const needle = normalize(word);
  let nearest: string | null = null;
  let best = Math.min(tolerance(needle), distanceMax) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - needle.length) >= best) continue;
    const distance = editDistance(needle, normalize(candidate), best - 1);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

/** `; did you mean ...?` to end a message with, or nothing. */
export function didYouMean(word: string, candidates: Iterable<string>, distanceMax?: number): string {
  const nearest = suggest(word, candidates, distanceMax);
  return nearest === null ? "" : `; did you mean \`${nearest}\`?`;
}

/** Short words are near to everything, so they get less slack. */
function tolerance(word: string): number {
  if (word.length <= 3) return 1;
  return word.length <= 11 ? 2 : 3;
}

function normalize(word: string): string {
  return word.toLowerCase().replaceAll("-", "_");
}

/** Insertions, deletions, substitutions and swaps of neighbours, each counting one; gives up past `most`. */
export function editDistance(a: string, b: string, most = Number.POSITIVE_INFINITY): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) cost = Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
