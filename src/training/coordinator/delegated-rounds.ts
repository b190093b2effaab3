import type { Clock } from "../../lib/clock.ts";
import { SeededRandom } from "../seeded-random.ts";
import { AggregateBodies } from "../wire/aggregate-bodies.ts";
import { ParticipantFailure } from "../wire/participant-failure.ts";
import type { Spooled } from "../wire/spool.ts";
import type { Participants } from "./participants.ts";
import type { Plan } from "./plan.ts";
import type { RoundRecord, RunFolder, StoredReply } from "./run-folder.ts";

interface DelegatedParts {
  readonly plan: Plan;
  readonly folder: RunFolder;
  readonly clock: Clock;
  readonly participants: Participants;
}

interface DelegatedRound {
  readonly round: number;
  readonly modelIn: string | null;
}

/** The updates of a round. They are as fresh as the round: late ones do not count in this mode. */
interface DelegatedUpdates {
  readonly updates: ReadonlyArray<{ readonly reply: StoredReply; readonly staleness: 0 }>;
}

/** More than any update and the framing of a request around it. */
const BODY_BYTES_MAX = 64 * 1024 ** 3;
const ROOM_BYTES = 1024 ** 2;

/** Rounds whose updates only participants can read: one of them aggregates, by its `/aggregate`. */
export class DelegatedRounds {
  /** Participants whose updates do not count, with the reason. */
  readonly dropped: Array<{ participant: string; reason: string }> = [];

  constructor(private readonly parts: DelegatedParts) {}

  begin(round: number, modelIn: string | null): DelegatedRound {
    this.dropped.length = 0;
    return { round, modelIn };
  }

  /** Drops empty updates; a participant may have ended while it wrote one. */
  validateUpdates(_: DelegatedRound, replies: readonly StoredReply[]): DelegatedUpdates {
    for (const { participant, bytes } of replies) {
      if (bytes === 0) this.dropped.push({ participant, reason: "its parameters are empty" });
    }
    return { updates: replies.filter(({ bytes }) => bytes > 0).map((reply) => ({ reply, staleness: 0 as const })) };
  }

  /** Returns the record of the round, or why no participant could aggregate. */
  async finish({ round, modelIn }: DelegatedRound, { updates }: DelegatedUpdates): Promise<RoundRecord | string> {
    const { plan, folder, clock, participants } = this.parts;
    const aggregated = await this.aggregate(round, updates);
    if (typeof aggregated === "string") return aggregated;
    const modelOut = folder.addModel(aggregated.model);
    const isDue = round % plan.evaluation.every === 0 || round === plan.rounds;
    const evaluated = isDue ? await participants.evaluate(round, modelOut) : { accuracy: null, loss: null };
    return {
      round,
      at: new Date(clock.nowMs()).toISOString(),
      strategy: "participants",
      modelIn,
      modelOut,
      stateOut: {},
      replies: updates.map(({ reply: { participant, sha256, bytes, numExamples } }) => ({
        ...{ participant, sha256, bytes, numExamples },
        norm: null,
        counted: true,
      })),
      dropped: [...this.dropped],
      aggregatedBy: aggregated.by,
      ...evaluated,
      cosine: null,
      warning: null,
      epsilon: null,
    };
  }

  /** Asks the participants of the round one after the other until one has aggregated. The seed decides the order. */
  private async aggregate(
    round: number,
    updates: DelegatedUpdates["updates"],
  ): Promise<{ readonly by: string; readonly model: Spooled } | string> {
    const { plan, folder, participants } = this.parts;
    const models = updates.map(({ reply }) => reply.path);
    const weights = updates.map(({ reply }) => reply.numExamples);
    const bytesMax = 2 * Math.max(...updates.map(({ reply }) => reply.bytes)) + ROOM_BYTES;
    const bodies = new AggregateBodies({ models, ...participants.aggregateFields(round, weights) }, (pieces) =>
      folder.spool(pieces, BODY_BYTES_MAX),
    );
    const ids = updates.map(({ reply }) => reply.participant);
    const first = new SeededRandom(plan.seed, "aggregate", round).below(ids.length);
    const reasons: string[] = [];
    try {
      for (const by of [...ids.slice(first), ...ids.slice(0, first)]) {
        const { answers, failures } = await participants.askAll([by], plan, async (id, signal) => {
          const { spooled } = await participants
            .client(id)
            .parameters(bodies, signal, (pieces) => folder.spool(pieces, bytesMax));
          if (spooled.bytes === 0) throw new ParticipantFailure("its aggregate is empty", false);
          return spooled;
        });
        const [done] = answers;
        if (done !== undefined) return { by, model: done.answer };
        reasons.push(...failures.map(({ reason }) => `${by}: ${reason}`));
      }
    } finally {
      await bodies.close();
    }
    return `no participant could aggregate round ${round} (${reasons.join("; ")})`;
  }
}
