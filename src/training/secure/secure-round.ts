import { rmSync } from "node:fs";
import { secagg } from "../../../sdk/typescript/src/index.ts";
import type { Asked } from "../coordinator/ask-all.ts";
import type { Participants } from "../coordinator/participants.ts";
import type { RunFolder } from "../coordinator/run-folder.ts";
import { ParticipantFailure } from "../wire/participant-failure.ts";
import { addWords } from "./add-words.ts";
import { type Closed, type Dropped, type SecurePhase, unmaskSum, WrongShares } from "./closed.ts";
import type { Told } from "./givers.ts";
import { isHonest } from "./honest-sum.ts";
import {
  readKeysAnswer,
  readSharesAnswer,
  readUnmaskAnswer,
  type SharesAnswer,
  withOwnKeys,
} from "./secure-answers.ts";
import type { SecureJournal } from "./secure-journal.ts";
import type { SecurePlan } from "./secure-plan.ts";
import { plainQuestion, questionWithModel } from "./secure-question.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface SecureParts {
  readonly secure: SecurePlan;
  readonly retries: number;
  readonly quorum: number;
  /** For the training, which comes with the masked update. */
  readonly deadlineMs: number;
  readonly journal: SecureJournal;
  /** Where an update lies while it is taken in. */
  readonly folder: Pick<RunFolder, "spool">;
  readonly participants: Pick<Participants, "askAll" | "client">;
  /** The most examples that one may count for, where it has a limit of its own. */
  readonly limitOf: (id: string) => number | null;
  readonly runId: string;
  readonly round: number;
  readonly model: Uint8Array;
  /** How many numbers of the model are summed. */
  readonly length: number;
  /** What the training is told beside the model. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** The sum of a round and nothing finer, with who was in it. */
export interface Summed {
  readonly attempt: number;
  readonly threshold: number;
  readonly participants: number;
  /** The sum itself, as words; the weights' comes last. */
  readonly words: Uint32Array;
  /** The mean change at a place, weighted. */
  readonly meanAt: (place: number) => number;
  readonly weight: number;
  readonly survivors: Closed["survivors"];
  readonly dropped: readonly Dropped[];
}

export interface Short {
  readonly dropped: readonly Dropped[];
  readonly why: string;
}

/** One attempt at the sum of a round, in four phases; each begins with those who finished the one before. */
export class SecureRound {
  private readonly dropped: Dropped[] = [];

  constructor(private readonly parts: SecureParts) {}

  async run(chosen: readonly string[]): Promise<Summed | Short> {
    const { journal, round } = this.parts;
    const before = journal.findClosed(round);
    if (before !== null) {
      const outcome = await this.unmask(before.closed, secagg.wordsOf(new Uint8Array(before.sum)));
      if (outcome !== "lost") return outcome;
    }
    const closed = await this.collect(chosen.toSorted());
    if ("why" in closed) return closed;
    journal.close(round, closed.closed, secagg.bytesOf(closed.sum));
    const outcome = await this.unmask(closed.closed, closed.sum);
    return outcome === "lost" ? this.short("the sum can never be unmasked") : outcome;
  }

  private async collect(participants: readonly string[]): Promise<{ closed: Closed; sum: Uint32Array } | Short> {
    const { secure, journal, round } = this.parts;
    const attempt = journal.beginAttempt(round);
    const { threshold, clip, maxWeight } = secure;
    const terms = { runId: this.parts.runId, round, attempt, participants, threshold, clip, maxWeight };
    const keyed = await this.askKeys(terms);
    if (keyed.length < this.needed()) return this.short("too few gave keys");
    const shared = await this.askShares(attempt, keyed);
    if (shared.size < this.needed()) return this.short("too few gave shares");
    const { sum, survivors } = await this.askMasked(attempt, shared);
    if (survivors.length < this.needed()) return this.short("too few gave an update");
    const closed: Closed = {
      attempt,
      threshold,
      participants,
      transcript: Buffer.from(secagg.transcriptOf(terms, keyed)).toString("base64"),
      senders: keyed.flatMap(({ participant, maskKey }) => {
        const commitment = shared.get(participant)?.commitment;
        return commitment === undefined
          ? []
          : [{ participant, maskKey: Buffer.from(maskKey).toString("base64"), commitment }];
      }),
      survivors,
      dropped: [...this.dropped],
    };
    return { closed, sum };
  }

  private async askKeys(terms: secagg.Terms): Promise<secagg.PublicKeys[]> {
    const { participants, threshold, clip, maxWeight, attempt } = terms;
    const fields = { participants, threshold, clip, max_weight: maxWeight };
    const asked = await this.ask("keys", participants, async (id, signal) =>
      readKeysAnswer(id, await this.step("keys", id, attempt, { ...fields, participant: id }, signal)),
    );
    const keys = withOwnKeys(asked.map(({ answer }) => answer));
    const own = new Set(keys.map(({ participant }) => participant));
    const reason = "its keys are not its own alone";
    for (const { id } of asked) if (!own.has(id)) this.dropped.push({ participant: id, phase: "keys", reason });
    return keys;
  }

  private async askShares(attempt: number, keys: readonly secagg.PublicKeys[]): Promise<Map<string, SharesAnswer>> {
    const names = keys.map(({ participant }) => participant);
    const fields = {
      keys: keys.map(({ participant, cipherKey, maskKey, proof }) => ({
        participant,
        cipher_key: Buffer.from(cipherKey).toString("base64"),
        mask_key: Buffer.from(maskKey).toString("base64"),
        ...(proof === undefined ? {} : { proof: Buffer.from(proof).toString("base64") }),
      })),
    };
    const asked = await this.ask("shares", names, async (id, signal) =>
      readSharesAnswer(
        await this.step("shares", id, attempt, fields, signal),
        names.filter((name) => name !== id),
      ),
    );
    return new Map(asked.map(({ id, answer }) => [id, answer]));
  }

  /** Updates are added up as they arrive: sums modulo 2^32 do not depend on the order, and no update is kept. */
  private async askMasked(attempt: number, shared: ReadonlyMap<string, SharesAnswer>) {
    const { meta, model, length, limitOf, participants, folder } = this.parts;
    const sum = new Uint32Array(length + 1);
    const asked = await this.ask("masked", [...shared.keys()], async (id, signal) => {
      const shares = [...shared].flatMap(([participant, { sealed }]) =>
        participant === id ? [] : [{ participant, share: sealed.get(id) }],
      );
      const limit = limitOf(id);
      const fields = { ...meta, ...this.name(attempt), shares, ...(limit === null ? {} : { max_examples: limit }) };
      const { path, sha256, bytes } = await participants
        .client(id)
        .masked(questionWithModel(fields, model), signal, (chunks) => folder.spool(chunks, sum.byteLength));
      try {
        // Whoever is late has been counted as gone: its masks are taken away, and its update must not be in the sum.
        if (signal.aborted) throw new ParticipantFailure("the deadline passed", false);
        if (bytes !== sum.byteLength) {
          throw new ParticipantFailure(`its update has ${bytes} bytes, not ${sum.byteLength}`, false);
        }
        addWords(sum, path);
      } finally {
        rmSync(path, { force: true });
      }
      return { participant: id, sha256, bytes };
    });
    return { sum, survivors: asked.map(({ answer }) => answer) };
  }

  /** Asks about one list, ever. "lost" when too few of the survivors still know the round, so that nobody can unmask it. */
  private async unmask(closed: Closed, sum: Uint32Array): Promise<Summed | Short | "lost"> {
    const { secure } = this.parts;
    const names = closed.survivors.map(({ participant }) => participant);
    const gone = closed.senders.map(({ participant }) => participant).filter((name) => !names.includes(name));
    const before = this.dropped.length;
    const asked = await this.ask("unmask", names, async (id, signal) =>
      readUnmaskAnswer(id, await this.step("unmask", id, closed.attempt, { survivors: names }, signal), names, gone),
    );
    const told: Told[] = asked.map(({ answer }) => answer);
    if (told.length < closed.threshold) {
      const forgotten = this.dropped.slice(before).filter(({ reason }) => reason.includes("unknown_round")).length;
      return names.length - forgotten < closed.threshold ? "lost" : this.short("too few helped to unmask the sum");
    }
    try {
      await unmaskSum(sum, closed, told);
    } catch (thrown) {
      if (thrown instanceof WrongShares) return this.short(thrown.message);
      throw thrown;
    }
    const unmasked = secagg.fromWords(sum, names.length, secure);
    const { meanAt, weight } = unmasked;
    if (weight === 0) return this.short("nobody had examples");
    if (!isHonest(unmasked, this.parts.length, names.length, secure))
      return this.short("the sum is none of changes within the clip: somebody sent something else");
    return {
      attempt: closed.attempt,
      threshold: closed.threshold,
      participants: closed.participants.length,
      words: sum,
      meanAt,
      weight,
      survivors: closed.survivors,
      dropped: [...closed.dropped, ...this.dropped.slice(before)],
    };
  }

  private needed(): number {
    return Math.max(this.parts.secure.threshold, this.parts.quorum);
  }

  private short(why: string): Short {
    return { why, dropped: [...this.dropped] };
  }

  private async ask<T>(
    phase: SecurePhase,
    ids: readonly string[],
    work: (id: string, signal: AbortSignal) => Promise<T>,
  ): Promise<Asked<T>["answers"]> {
    const { retries, secure, deadlineMs } = this.parts;
    const options = { retries, deadlineMs: phase === "masked" ? deadlineMs : secure.deadlineMs };
    const { answers, failures } = await this.parts.participants.askAll(ids, options, work);
    for (const { id, reason } of failures) this.dropped.push({ participant: id, phase, reason });
    return answers;
  }

  private step(
    phase: SecurePhase,
    id: string,
    attempt: number,
    fields: Fields,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const question = plainQuestion({ ...fields, ...this.name(attempt) });
    return this.parts.participants.client(id).step(`/secagg/${phase}`, question, signal);
  }

  private name(attempt: number) {
    return { run_id: this.parts.runId, round: this.parts.round, attempt };
  }
}
