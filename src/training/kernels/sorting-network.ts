/** Batcher's odd-even merge sort: which two places are put in order, one pair after another, for any number of them. */
export function sortingNetwork(places: number): Array<readonly [number, number]> {
  const pairs: Array<readonly [number, number]> = [];
  for (let size = 1; size < places; size *= 2) {
    for (let step = size; step >= 1; step /= 2) {
      for (let start = step % size; start + step < places; start += 2 * step) {
        for (let at = 0; at < Math.min(step, places - start - step); at++) {
          const [low, high] = [start + at, start + at + step];
          if (Math.floor(low / (2 * size)) === Math.floor(high / (2 * size))) pairs.push([low, high]);
        }
      }
    }
  }
  return pairs;
}
