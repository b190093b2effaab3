import type { Member } from "./group-snapshot.ts";

/** Less than any share, and enough to tell those apart that have none. */
const NO_SHARE = 1e-200;

/**
 * Where calls that belong together go, by highest random weight: the same while it is a candidate, and without it the rest
 * keep theirs. Nothing is remembered, so any number of sessions costs nothing and all processes agree.
 */
export function stayWith(candidates: readonly Member[], affinity: string): Member | undefined {
  const key = Bun.hash.xxHash32(affinity);
  let best: Member | undefined;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const member of candidates) {
    const share = member.share > 0 ? member.share : NO_SHARE;
    // In (0, 1): the logarithm makes a share of two twice as likely as one of one.
    const place = (Bun.hash.xxHash32(member.deployment.id, key) + 0.5) / 2 ** 32;
    const score = -share / Math.log(place);
    if (score <= bestScore) continue;
    bestScore = score;
    best = member;
  }
  return best;
}
