import type { Hold } from "./books.ts";
import type { PotState } from "./credit-state.ts";

/** What was taken of some pots; `amounts` where they differ from pot to pot: less than was asked for is all that is left of one. */
export class OpenHold implements Hold {
  isOpen = true;
  amount: bigint;

  constructor(
    private readonly desk: { release(hold: OpenHold): void },
    readonly states: readonly PotState[],
    private amounts: readonly bigint[] | null,
    private asked: bigint,
  ) {
    this.amount = least(amounts, asked);
  }

  taken(index: number): bigint {
    return this.amounts?.[index] ?? this.asked;
  }

  become(amounts: readonly bigint[] | null, asked: bigint): void {
    this.amounts = amounts;
    this.asked = asked;
    this.amount = least(amounts, asked);
  }

  /** The cost itself is taken when it is written to the journal, so that it is counted once however this ends. */
  settle(): void {
    this.release();
  }

  release(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.desk.release(this);
  }
}

const least = (amounts: readonly bigint[] | null, asked: bigint): bigint =>
  amounts ? amounts.reduce((one, other) => (other < one ? other : one), asked) : asked;
