/** Two numbers for each slot: the hash, and the place after which it is free, 0 where it is. */
const SLOT_INTS = 2;

/** Places by a hash of 32 bits, in one piece of memory that collections do not look into. Two entries may have the same hash. */
export class HashTable {
  size = 0;
  private readonly ints: Int32Array;
  private readonly mask: number;

  /** A third of the slots stays free at least, so that none is looked for in vain for long. */
  constructor(entriesMax: number) {
    const slots = 2 ** Math.ceil(Math.log2(entriesMax * 1.5 + 1));
    this.ints = new Int32Array(slots * SLOT_INTS);
    this.mask = slots - 1;
  }

  /** The first slot with this hash, or the next one after another; -1 for none. */
  slotOf(hash: number, after = -1): number {
    const { ints, mask } = this;
    for (let slot = after < 0 ? hash & mask : (after + 1) & mask; ; slot = (slot + 1) & mask) {
      if (ints[slot * SLOT_INTS + 1] === 0) return -1;
      if (ints[slot * SLOT_INTS] === hash) return slot;
    }
  }

  placeAt(slot: number): number {
    return (this.ints[slot * SLOT_INTS + 1] as number) - 1;
  }

  add(hash: number, place: number): void {
    const { ints, mask } = this;
    let slot = hash & mask;
    while (ints[slot * SLOT_INTS + 1] !== 0) slot = (slot + 1) & mask;
    ints[slot * SLOT_INTS] = hash;
    ints[slot * SLOT_INTS + 1] = place + 1;
    this.size++;
  }

  /** Whether it was there. */
  remove(hash: number, place: number): boolean {
    for (let slot = this.slotOf(hash); slot >= 0; slot = this.slotOf(hash, slot)) {
      if (this.placeAt(slot) !== place) continue;
      this.free(slot);
      this.size--;
      return true;
    }
    return false;
  }

  /** What follows and was kept from this slot, or one before it, moves up: a look-up ends at the first free one. */
  private free(slot: number): void {
    const { ints, mask } = this;
    let hole = slot;
    for (let next = (slot + 1) & mask; ints[next * SLOT_INTS + 1] !== 0; next = (next + 1) & mask) {
      const home = (ints[next * SLOT_INTS] as number) & mask;
      if (((next - home) & mask) < ((next - hole) & mask)) continue;
      ints.copyWithin(hole * SLOT_INTS, next * SLOT_INTS, (next + 1) * SLOT_INTS);
      hole = next;
    }
    ints[hole * SLOT_INTS + 1] = 0;
  }
}
