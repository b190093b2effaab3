import type { Clock } from "../../lib/clock.ts";
import { faultOfModel, type ModelValues, modelPieces, readModel } from "../model-values.ts";
import { SecretRandom } from "../privacy/secret-random.ts";
import { SecureJournal } from "../secure/secure-journal.ts";
import type { SecurePlan } from "../secure/secure-plan.ts";
import { SecureRound, type Summed } from "../secure/secure-round.ts";
import { SeededRandom } from "../seeded-random.ts";
import { applyStrategy } from "../strategies/apply-strategy.ts";
import { createStrategy } from "../strategies/strategies.ts";
import type { Waiting } from "./ask-all.ts";
import { AsynchronousRounds } from "./asynchronous.ts";
import { DelegatedRounds } from "./delegated-rounds.ts";
import type { Send } from "./participant-client.ts";
import { Participants } from "./participants.ts";
import type { Plan } from "./plan.ts";
import { nameAfterRollbacks, stateAfter } from "./rollback.ts";
import { RoundMaker } from "./round-maker.ts";
import { RunError } from "./run-error.ts";
import type { RoundRecord, RunFolder, StoredReply } from "./run-folder.ts";

export interface RunOutcome {
  readonly rounds: readonly RoundRecord[];
  readonly model: Uint8Array | null;
  /** Why it stopped before its last round; null when it did not. */
  readonly paused: string | null;
}

export interface CoordinatorParts {
  readonly plan: Plan;
  readonly folder: RunFolder;
  readonly clock: Clock;
  readonly tokens: Readonly<Record<string, string | undefined>>;
  readonly initial: Uint8Array | null;
  readonly tell: (record: RoundRecord) => void;
  /** What participants are told that the run is called; made of the plan unless told. */
  readonly runId?: string;
  /** How calls leave; `fetch` unless told. */
  readonly send?: Send;
  /** How time passes before somebody is asked again; as it does unless told. */
  readonly waiting?: Waiting;
}

/** A round that was made and is to be written, with the answers that were looked at for it; or why it cannot be had. */
type Made = { readonly record: RoundRecord; readonly considered: readonly StoredReply[] } | string;

/** Turns the updates of a round into its record. */
interface Rounds<Begun, Considered> {
  readonly dropped: Array<{ participant: string; reason: string }>;
  begin(round: number, modelIn: string | null, before: readonly RoundRecord[]): Begun;
  validateUpdates(begun: Begun, replies: readonly StoredReply[]): Considered | Promise<Considered>;
  finish(begun: Begun, considered: Considered): Promise<RoundRecord | string>;
}

/** A round of masked updates that is about to start. */
interface SecureInput {
  readonly round: number;
  readonly modelIn: string;
  readonly before: readonly RoundRecord[];
}

/** Updates that count. */
interface Counting {
  readonly updates: ReadonlyArray<{ readonly reply: StoredReply; readonly staleness: number }>;
}

/** Somebody who is being asked still. */
interface Busy {
  readonly round: number;
  readonly work: Promise<void>;
  readonly end: AbortController;
}

/** Runs the rounds of a plan, from wherever the folder says that it was. */
export class Coordinator {
  private readonly participants: Participants;
  /** Who is being asked, where late answers count. */
  private readonly busy = new Map<string, Busy>();
  private readonly stop = new AbortController();

  constructor(private readonly parts: CoordinatorParts) {
    const { plan, folder, tokens, send, waiting } = parts;
    const claimed = folder.claim(plan);
    const runId = parts.runId === undefined ? claimed : nameAfterRollbacks(parts.runId, folder);
    this.participants = new Participants({ plan, folder, tokens, send, waiting, runId });
  }

  async run(): Promise<RunOutcome> {
    const { plan, folder, initial, clock } = this.parts;
    const rounds = folder.rounds();
    const shape = plan.shape === "info" ? await this.shapeOfInfo() : (plan.shape ?? null);
    const last = rounds.at(-1)?.modelOut ?? null;
    if (plan.shape === "info" && shape === null) return this.outcome(rounds, last, "nobody told the shape in /info");
    const model =
      last ?? (initial === null ? null : folder.saveModel([plan.delegated ? initial : checkedInitial(initial, shape)]));
    const { participants } = this;
    const maker = new RoundMaker({ plan, folder, clock, participants, shape });
    const delegated = plan.delegated ? new DelegatedRounds({ plan, folder, clock, participants }) : null;
    const buffer = plan.asynchronous?.buffer ?? 0;
    const open = buffer > 0 ? new AsynchronousRounds({ plan, folder, participants, maker, buffer }) : null;
    try {
      const next = (last: string | null): Promise<Made> => {
        if (open !== null && last !== null) return open.next(last, rounds);
        const round = rounds.length + 1;
        if (delegated !== null) return this.runRound(delegated, round, last, rounds);
        return plan.secure !== undefined && last !== null
          ? this.runSecureRound(maker, plan.secure, { round, modelIn: last, before: rounds })
          : this.runRound(maker, round, last, rounds);
      };
      return await this.runAll(rounds, model, next);
    } finally {
      this.stop.abort();
      await open?.close();
      maker.close();
    }
  }

  private async runAll(rounds: RoundRecord[], first: string | null, next: (last: string | null) => Promise<Made>) {
    const { plan, folder, tell } = this.parts;
    let model = first;
    while (!isAtEnd(plan, rounds)) {
      const made = await next(model);
      if (typeof made === "string") return this.outcome(rounds, model, made);
      folder.commit(made.record, made.considered);
      rounds.push(made.record);
      model = made.record.modelOut;
      tell(made.record);
    }
    return this.outcome(rounds, model, null);
  }

  private outcome(rounds: readonly RoundRecord[], model: string | null, paused: string | null): RunOutcome {
    return { rounds, model: model === null ? null : this.parts.folder.loadModel(model), paused };
  }

  /** Asked for once; a run that goes on goes on with the same one. */
  private async shapeOfInfo(): Promise<readonly number[] | null> {
    const { folder } = this.parts;
    const known = folder.readFile("shape.json");
    const shape = known === null ? await this.participants.shape() : (JSON.parse(known) as number[]);
    if (known === null && shape !== null) folder.writeFile("shape.json", JSON.stringify(shape));
    return shape;
  }

  private async runRound<Begun, Considered extends Counting>(
    maker: Rounds<Begun, Considered>,
    round: number,
    model: string | null,
    before: readonly RoundRecord[],
  ): Promise<Made> {
    const { plan, folder } = this.parts;
    const making = maker.begin(round, model, before);
    const silent = new Map<string, string>();
    let refused: StoredReply[] = [];
    for (let attempt = 0; attempt <= plan.retries; attempt++) {
      for (const { participant, reason } of await this.collect(round, attempt, model)) silent.set(participant, reason);
      const fromNow = folder.replies(round);
      // Who has answered at last is not dropped, and who never has is dropped once, with what it came to in the end.
      for (const { participant } of fromNow) silent.delete(participant);
      const dropped = [...silent].map(([participant, reason]) => ({ participant, reason }));
      maker.dropped.splice(0, maker.dropped.length, ...dropped);
      const considered = [...fromNow, ...(plan.foldLate ? folder.lateReplies(round) : [])];
      const weighed = await maker.validateUpdates(making, considered);
      const fresh = weighed.updates.filter(({ staleness }) => staleness === 0);
      if (fresh.length >= plan.quorum) {
        const record = await maker.finish(making, weighed);
        return typeof record === "string" ? record : { record, considered };
      }
      const counting = new Set(weighed.updates.map(({ reply }) => reply.path));
      refused = considered.filter(({ path }) => !counting.has(path));
    }
    // Whoever gave something that cannot count is asked again when the run goes on: by then it may have been mended.
    folder.forget(refused);
    const reasons = maker.dropped.map(({ participant, reason }) => `${participant}: ${reason}`);
    return `round ${round} did not reach its quorum of ${plan.quorum} (${reasons.join("; ")})`;
  }

  /** As a round, with nothing seen of the updates but their sum. */
  private async runSecureRound(maker: RoundMaker, secure: SecurePlan, input: SecureInput): Promise<Made> {
    const { plan, folder } = this.parts;
    const { round, modelIn } = input;
    const model = folder.loadModel(modelIn);
    const base = readModel(model);
    const journal = new SecureJournal(folder);
    const limits = new Map(
      plan.participants.map((one) => [one.id, one.maxExamples === undefined ? null : Math.floor(one.maxExamples)]),
    );
    const { run_id: runId, round: _, ...meta } = this.participants.metaOf(round, plan.dataset);
    let why = "";
    for (let attempt = 0; attempt <= plan.retries; attempt++) {
      const chosen = this.choose(round, attempt).map(({ id }) => id);
      const outcome = await new SecureRound({
        ...plan,
        secure,
        journal,
        folder,
        participants: this.participants,
        limitOf: (id) => limits.get(id) ?? null,
        runId: journal.nameOf(runId),
        round,
        model,
        length: base.values.length,
        meta,
      }).run(chosen);
      if ("meanAt" in outcome) return { record: await this.finishSecure(maker, input, base, outcome), considered: [] };
      why = `${outcome.why}: ${outcome.dropped.map((one) => `${one.participant} (${one.phase}): ${one.reason}`).join("; ")}`;
    }
    return `round ${round} did not reach its secure sum (${why})`;
  }

  private async finishSecure(
    maker: RoundMaker,
    { round, modelIn, before }: SecureInput,
    base: ModelValues,
    { attempt, threshold, participants, meanAt, weight, survivors, dropped }: Summed,
  ): Promise<RoundRecord> {
    const { plan, folder, clock } = this.parts;
    const strategy = createStrategy(plan.strategy);
    const values = base.values.map((value, at) => value + meanAt(at));
    const updates = [{ participantId: "the sum", weight: 1, values }];
    const state = folder.loadState(stateAfter(folder, before));
    const outcome = applyStrategy(strategy, base.values, updates, state);
    const modelOut = folder.saveModel(modelPieces({ values: outcome.values, layout: base.layout }));
    const evaluated = await maker.evaluateWhenDue(round, modelOut);
    return {
      round,
      at: new Date(clock.nowMs()).toISOString(),
      strategy: strategy.name,
      modelIn,
      modelOut,
      stateOut: folder.saveState(outcome.state),
      replies: survivors.map((one) => ({ ...one, numExamples: null, norm: null, counted: true })),
      dropped,
      ...evaluated,
      cosine: null,
      warning: null,
      epsilon: null,
      secure: { attempt, threshold, asked: participants, weight },
    };
  }

  /** An answer that could not count any more is not waited for: whoever hangs for ever is asked anew. */
  private giveUpOld(round: number): void {
    for (const [id, { round: asked, end }] of this.busy) {
      if (round - asked <= (this.parts.plan.stalenessLimit ?? 0)) continue;
      this.busy.delete(id);
      end.abort();
    }
  }

  private choose(round: number, attempt: number) {
    const { plan, folder } = this.parts;
    const idle = plan.participants.filter(({ id }) => (this.busy.get(id)?.round ?? round) === round);
    // Everybody knows the seed; what noise hides rests on nobody knowing who takes part.
    const random =
      plan.noise === null
        ? new SeededRandom(plan.seed, "sample", round, attempt)
        : new SecretRandom(folder.secret(), "sample", round, attempt);
    return random.sample(idle, plan.sample);
  }

  /** Asks somebody without a deadline. */
  private askLong(id: string, round: number, ask: (id: string, signal: AbortSignal) => Promise<void>): Busy {
    const end = new AbortController();
    const work = ask(id, AbortSignal.any([this.stop.signal, end.signal])).finally(() => {
      if (this.busy.get(id) === busy) this.busy.delete(id);
    });
    const busy = { round, work, end };
    this.busy.set(id, busy);
    return busy;
  }

  /** Asks those who have not answered yet, and gives who failed. With every new try others may be asked. */
  private async collect(round: number, attempt: number, model: string | null) {
    const { plan, folder } = this.parts;
    this.giveUpOld(round);
    const chosen = this.choose(round, attempt);
    const here = new Set(folder.replies(round).map(({ participant }) => participant));
    const missing = chosen.map(({ id }) => id).filter((id) => !here.has(id));
    if (missing.length === 0) return [];
    const train = this.participants.training(round, model);
    const ask = async (id: string, signal: AbortSignal) => {
      const { spooled, numExamples } = await train(id, signal);
      folder.keepReply(round, { participant: id, numExamples: numExamples ?? 1, startedFrom: model }, spooled);
    };
    const { failures } = await this.participants.askAll(missing, plan, (id, deadline) => {
      if (!plan.foldLate) return ask(id, deadline);
      // What comes late is still wanted, and who is still at it is waited for, not asked twice.
      return (this.busy.get(id) ?? this.askLong(id, round, ask)).work;
    });
    return failures.map(({ id, reason }) => ({ participant: id, reason }));
  }
}

/** Whether nothing is left to do: all rounds are done, or what they came to is enough. */
export function isAtEnd({ rounds, stopAt }: Plan, done: readonly RoundRecord[]): boolean {
  const accuracy = done.at(-1)?.accuracy ?? null;
  return done.length >= rounds || (stopAt !== null && accuracy !== null && accuracy >= stopAt);
}

/** A number in it that is none would be in every model of the run. */
function checkedInitial(bytes: Uint8Array, shape: readonly number[] | null): Uint8Array {
  const fault = faultOfModel(bytes, shape);
  if (fault !== null) throw new RunError(`initial: ${fault}`);
  return bytes;
}
