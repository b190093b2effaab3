import { statSync } from "node:fs";
import { findOutliers, OUTLIER_FACTOR, outlierText } from "../outliers.ts";
import { modelBodies, type Operation, type RequestBodies } from "../wire/request-bodies.ts";
import { type Asked, type AskOptions, askAll, type Waiting } from "./ask-all.ts";
import { ParticipantClient, type Reply, type Send } from "./participant-client.ts";
import type { Plan } from "./plan.ts";
import { isShapeOf } from "./plan-modes.ts";
import type { CallMeta } from "./question.ts";
import type { RoundRecord, RunFolder } from "./run-folder.ts";

/** What a participant may answer with where nothing is known of the model yet. */
const BYTES_MAX = 4 * 1024 ** 3;
/** An answer is as large as the model that was sent, in whatever format; this is more than enough. */
const ROOM = 1024 * 1024;

const TOO_FAR = "its accuracy is more than can be counted with";

/** Nobody has more: beyond it numbers are not exact any more, and their sums would end at infinity. */
export const EXAMPLES_MAX = Number.MAX_SAFE_INTEGER;

/** How good a model is, as far as anybody said. */
export type Evaluated = Pick<RoundRecord, "accuracy" | "loss" | "evaluationFailures">;

interface ParticipantsParts {
  readonly plan: Plan;
  readonly folder: RunFolder;
  readonly runId: string;
  readonly tokens: Readonly<Record<string, string | undefined>>;
  readonly send?: Send | undefined;
  readonly waiting?: Waiting | undefined;
}

/** Those who take part in a run, as their coordinator speaks to them. */
export class Participants {
  private readonly clients: ReadonlyMap<string, ParticipantClient>;

  constructor(private readonly parts: ParticipantsParts) {
    const { plan, tokens, send } = parts;
    this.clients = new Map(
      plan.participants.map((one) => {
        const token = one.tokenEnv === null ? null : (tokens[one.tokenEnv] ?? null);
        return [one.id, new ParticipantClient(one, token, send, plan.wire)];
      }),
    );
  }

  /** A function that asks one of them to train; what it is asked lies in memory once for all. */
  training(round: number, model: string | null): (id: string, signal: AbortSignal) => Promise<Reply> {
    const { plan, folder } = this.parts;
    const bodies = this.bodies("train", model, this.metaOf(round, plan.dataset));
    const bytesMax = model === null ? BYTES_MAX : 2 * statSync(folder.modelPath(model)).size + ROOM;
    return (id, signal) => this.client(id).parameters(bodies, signal, (chunks) => folder.spool(chunks, bytesMax));
  }

  /** The mean of what those say who are asked about it, by examples; null where nobody answers, and why somebody does not. */
  async evaluate(round: number, model: string): Promise<Evaluated> {
    const { plan } = this.parts;
    const ids = plan.participants.slice(0, plan.evaluation.participants).map(({ id }) => id);
    const bodies = this.bodies("evaluate", model, this.metaOf(round, plan.evaluation.dataset));
    const asked = await this.askAll(ids, plan, (id, signal) => this.client(id).evaluate(bodies, signal));
    const weighed = asked.answers.map(({ id, answer }) => ({
      id,
      answer,
      weight: this.weightOf(id, answer.numExamples),
    }));
    const all = weighed.reduce((sum, { weight }) => sum + weight, 0);
    const { outlierFactor = OUTLIER_FACTOR } = plan;
    const weights = weighed.map(({ weight }) => weight);
    const medians = findOutliers(weights, outlierFactor);
    const reasons = weighed.map(({ answer }, at) => {
      const median = medians[at] ?? null;
      if (median !== null) return outlierText(`it reports ${answer.numExamples} examples`, median, outlierFactor);
      // The sum of larger numbers would not be finite.
      return Math.abs(answer.accuracy) <= Number.MAX_VALUE / all ? null : TOO_FAR;
    });
    const counted = weighed.filter((_, at) => reasons[at] === null);
    const left = weighed.flatMap(({ id }, at) => (reasons[at] == null ? [] : [{ id, reason: reasons[at] }]));
    const failures = [...asked.failures, ...left].map(({ id, reason }) => ({ participant: id, reason }));
    const told = failures.length === 0 ? {} : { evaluationFailures: failures };
    if (counted.length === 0) return { accuracy: null, loss: null, ...told };
    const total = counted.reduce((sum, { weight }) => sum + weight, 0);
    const mean = (of: "accuracy" | "loss") =>
      counted.reduce((sum, { answer, weight }) => sum + (answer[of] ?? 0) * weight, 0) / total;
    const loss = counted.every(({ answer }) => answer.loss !== null) ? mean("loss") : null;
    return { accuracy: mean("accuracy"), loss: Number.isFinite(loss) ? loss : null, ...told };
  }

  /** How much somebody's word counts: by its examples, within the same limits as its training. */
  private weightOf(id: string, numExamples: number | null): number {
    const { maxExamples, participants } = this.parts.plan;
    const own = participants.find((one) => one.id === id)?.maxExamples;
    const said = numExamples !== null && numExamples > 0 ? numExamples : 1;
    return Math.min(said, maxExamples ?? EXAMPLES_MAX, own ?? EXAMPLES_MAX, EXAMPLES_MAX);
  }

  /** The shape of bare floats, as the first one says that tells. */
  async shape(): Promise<readonly number[] | null> {
    const ids = this.parts.plan.participants.map(({ id }) => id);
    const { answers } = await this.askAll(ids, this.parts.plan, (id, signal) => this.client(id).info(signal));
    const shapes = answers.map(({ answer }) => answer.shape).filter(isShapeOf);
    return shapes[0] ?? null;
  }

  metaOf(round: number, dataset: unknown): CallMeta {
    const { plan, runId } = this.parts;
    const pack = plan.compression === undefined ? {} : { pack: plan.compression };
    return { run_id: runId, round, config: { ...plan.config, seed: plan.seed, ...pack }, dataset };
  }

  /** The fields of a request to aggregate, in both forms. */
  aggregateFields(round: number, weights: readonly number[]) {
    const { dataset: _, ...meta } = this.metaOf(round, undefined);
    const { dataset: __, ...jsonFields } = this.jsonFields(meta);
    return { meta: { ...meta, weights }, jsonFields };
  }

  private bodies(operation: Operation, model: string | null, meta: CallMeta): RequestBodies {
    const modelPath = model === null ? null : this.parts.folder.modelPath(model);
    return modelBodies({ operation, modelPath, meta, jsonFields: this.jsonFields(meta) });
  }

  /** A participant of the contract alone may refuse other fields. They are sent only if the plan has a `config`. */
  private jsonFields({ dataset = null, ...rest }: CallMeta): Readonly<Record<string, unknown>> {
    return Object.keys(this.parts.plan.config).length === 0 ? { dataset } : { ...rest, dataset };
  }

  /** Asks these at once; a failure is data. */
  askAll<T>(
    ids: readonly string[],
    options: AskOptions,
    ask: (id: string, signal: AbortSignal) => Promise<T>,
  ): Promise<Asked<T>> {
    return askAll(ids, options, ask, this.parts.waiting);
  }

  client(id: string): ParticipantClient {
    const client = this.clients.get(id);
    if (client === undefined) throw new RangeError(`there is no participant ${id}`);
    return client;
  }
}
