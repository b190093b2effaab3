import { SeededRandom } from "../seeded-random.ts";
import { type Arrival, Arrivals } from "./arrivals.ts";
import type { Participants } from "./participants.ts";
import type { Plan } from "./plan.ts";
import type { RoundMaker } from "./round-maker.ts";
import type { RoundRecord, RunFolder, StoredReply } from "./run-folder.ts";

interface AsynchronousParts {
  readonly plan: Plan;
  readonly folder: RunFolder;
  readonly participants: Participants;
  readonly maker: RoundMaker;
  readonly buffer: number;
}

/**
 * Rounds in which nobody is waited for (FedBuff): whoever has answered is asked again, and as soon as enough updates are here a
 * new model is made of their changes. The order of arrival is on disk; it alone says which updates make which model.
 */
export class AsynchronousRounds {
  private readonly arrivals: Arrivals;
  private readonly running = new Map<string, Promise<void>>();
  private readonly failures = new Map<string, string[]>();
  private readonly stop = new AbortController();
  /** Up to which arrival participants were asked again, and who waits for that. */
  private released = -1;
  private held: Set<string> = new Set();
  private wake: () => void = () => undefined;
  /** What went wrong here and not at a participant, such as a full disk: asking again would go wrong again, for ever. */
  private broken: { readonly thrown: unknown } | null = null;

  constructor(private readonly parts: AsynchronousParts) {
    this.arrivals = new Arrivals(parts.folder);
  }

  /** The record of the next model, not yet written, and the answers it was made of; or why it cannot be had. */
  async next(
    model: string,
    before: readonly RoundRecord[],
  ): Promise<{ record: RoundRecord; considered: readonly StoredReply[] } | string> {
    const { maker, buffer } = this.parts;
    const making = maker.begin(before.length + 1, model, before);
    this.failures.clear();
    for (;;) {
      if (this.broken !== null) throw this.broken.thrown;
      const woken = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      const here = this.arrivals.list();
      this.askAgain(here, model, making.round);
      if (here.length >= buffer) {
        const considered = here.slice(0, buffer);
        const weighed = await maker.validateUpdates(making, considered.toSorted(byParticipant));
        const counted = new Set(weighed.updates.map(({ reply }) => reply.path));
        for (const one of considered) if (!counted.has(one.path)) this.refuse(one, making.round);
        if (counted.size === buffer) return { record: await maker.finish(making, weighed), considered };
      } else if (this.running.size === 0) return this.nobody(making.round);
      else await woken;
    }
  }

  /** An answer that does not count. Whoever gives a bad one waits for the next model: asked at once it would give another. */
  private refuse(one: Arrival, round: number): void {
    const { plan, maker } = this.parts;
    this.arrivals.remove(one);
    if (round - one.round > (plan.stalenessLimit ?? 0)) return;
    const reason = maker.dropped.findLast(({ participant }) => participant === one.participant)?.reason;
    this.failures.set(one.participant, [reason ?? "its answer does not count"]);
  }

  /** Ends what is being asked. It is asked again, the same, when the run goes on. */
  async close(): Promise<void> {
    this.stop.abort();
    await Promise.allSettled(this.running.values());
  }

  /**
   * Asks whoever is free, one arrival after the other: who fills the buffer is asked again when the new model is there, the others
   * at once. So the order of arrival alone says who begins from which model, however long things take.
   */
  private askAgain(here: readonly Arrival[], model: string, round: number): void {
    this.held = new Set(here.filter(({ arrival }) => arrival > this.released).map(({ participant }) => participant));
    this.askIdle(model, round);
    for (const { participant, arrival } of here.slice(0, this.parts.buffer - 1)) {
      if (arrival <= this.released) continue;
      this.released = arrival;
      this.held.delete(participant);
      this.askIdle(model, round);
    }
  }

  /** Asks as many at a time as the plan says; who failed too often has to wait for the next model. */
  private askIdle(model: string, round: number): void {
    const { plan } = this.parts;
    const isIdle = (id: string) => !this.running.has(id) && !this.held.has(id) && !this.failures.has(id);
    const idle = plan.participants.filter(({ id }) => isIdle(id));
    const free = Math.max(0, Math.min(idle.length, plan.sample - this.running.size - this.held.size));
    const random = new SeededRandom(plan.seed, "ask", round, this.released);
    for (const { id } of random.sample(idle, free)) {
      const work = this.ask(id, model, round)
        .catch((thrown: unknown) => {
          this.broken ??= { thrown };
        })
        .finally(() => {
          this.running.delete(id);
          this.wake();
        });
      this.running.set(id, work);
    }
  }

  private async ask(id: string, model: string, round: number): Promise<void> {
    const { plan, participants, maker } = this.parts;
    const ask = this.arrivals.ask(id, model, round);
    const train = participants.training(ask.number, ask.model);
    const { failures } = await participants.askAll([id], plan, async (_, deadline) => {
      const { spooled, numExamples } = await train(id, AbortSignal.any([deadline, this.stop.signal]));
      this.arrivals.keep(ask, { participant: id, numExamples: numExamples ?? 1 }, spooled);
    });
    if (this.stop.signal.aborted || failures.length === 0) return;
    const reasons = failures.map(({ reason }) => reason);
    this.arrivals.giveUp(id, ask);
    this.failures.set(id, reasons);
    for (const reason of reasons) maker.dropped.push({ participant: id, reason });
  }

  private nobody(round: number): string {
    const reasons = [...this.failures].map(([id, all]) => `${id}: ${all.join(", ")}`).join("; ");
    return `round ${round} did not get its ${this.parts.buffer} updates (${reasons})`;
  }
}

const byParticipant = (a: Arrival, b: Arrival): number =>
  a.participant === b.participant ? a.arrival - b.arrival : a.participant < b.participant ? -1 : 1;
