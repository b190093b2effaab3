/** A document that waits to be read, or is being read. */
export interface ReadingTicket {
  readonly id: string;
  /** The organization. Two of its documents are never read at the same time. */
  readonly tenant: string;
  /** How often the reading was interrupted for another tenant. */
  readonly interruptions: number;
}

/** How a reading ended. A killed reader had reached its limit of memory or time. */
export type ReadingEnd = "done" | "interrupted" | "killed";

/** Admits one document at a time, in turn for each tenant. */
export interface ReadingQueue {
  /** Resolves when the document may be read, or when it has left. */
  enter(ticket: ReadingTicket): Promise<void>;
  /** Whether the reading of this document must give way to another tenant. */
  mustYield(id: string): Promise<boolean>;
  leave(id: string, end: ReadingEnd): void;
}

interface Waiting {
  readonly ticket: ReadingTicket;
  readonly admit: () => void;
}

/** A document that was interrupted this often is read to its end. */
export const INTERRUPTIONS_MAX = 2;
/** For how long the documents of a tenant give way to all others after one had to be killed. */
const PENALTY_MS = 10 * 60_000;

/** The queue of one server. Workers share the queue of their supervisor. */
export class FairReadingQueue implements ReadingQueue {
  private readonly waiting: Waiting[] = [];
  private current: ReadingTicket | null = null;
  /** The number of each tenant's last turn. */
  private readonly turns = new Map<string, number>();
  private turnCount = 0;
  private readonly penalties = new Map<string, number>();

  constructor(private readonly nowMs: () => number) {}

  enter(ticket: ReadingTicket): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.waiting.push({ ticket, admit: resolve });
    this.admitNext();
    return promise;
  }

  async mustYield(id: string): Promise<boolean> {
    const { current } = this;
    if (current?.id !== id) return false;
    const others = this.waiting.filter(({ ticket }) => ticket.tenant !== current.tenant);
    if (this.isPenalized(current.tenant)) return others.some(({ ticket }) => !this.isPenalized(ticket.tenant));
    return others.length > 0 && current.interruptions < INTERRUPTIONS_MAX;
  }

  leave(id: string, end: ReadingEnd): void {
    if (this.current?.id === id) {
      if (end === "killed") this.penalize(this.current.tenant);
      this.current = null;
    }
    const at = this.waiting.findIndex(({ ticket }) => ticket.id === id);
    if (at >= 0) for (const { admit } of this.waiting.splice(at, 1)) admit();
    this.admitNext();
  }

  private admitNext(): void {
    if (this.current !== null) return;
    const [next] = this.waiting.toSorted((a, b) => this.rankOf(a.ticket) - this.rankOf(b.ticket));
    if (!next) {
      this.turns.clear();
      return;
    }
    this.waiting.splice(this.waiting.indexOf(next), 1);
    this.current = next.ticket;
    this.turns.set(next.ticket.tenant, ++this.turnCount);
    next.admit();
  }

  /** The tenant whose turn is longest ago comes first; penalized tenants come after all others. */
  private rankOf({ tenant }: ReadingTicket): number {
    const turn = this.turns.get(tenant) ?? 0;
    return this.isPenalized(tenant) ? turn + Number.MAX_SAFE_INTEGER / 2 : turn;
  }

  private penalize(tenant: string): void {
    const now = this.nowMs();
    for (const [one, until] of this.penalties) if (until <= now) this.penalties.delete(one);
    this.penalties.set(tenant, now + PENALTY_MS);
  }

  private isPenalized = (tenant: string): boolean => (this.penalties.get(tenant) ?? 0) > this.nowMs();
}
