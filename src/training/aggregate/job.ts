import { rankedMean } from "./ranked-mean.ts";
import { inMemory, type Span } from "./values.ts";
import { weightedMean } from "./weighted-mean.ts";

/** What is computed of the models, in a form that can be sent to another thread. */
export type Job =
  | { readonly kind: "mean"; readonly weights: readonly number[] }
  | { readonly kind: "ranks"; readonly ranks: Span };

/** Part of a job: models and result lie in memory that threads share. */
export interface Part {
  readonly job: Job;
  readonly models: readonly SharedArrayBuffer[];
  readonly out: SharedArrayBuffer;
  readonly span: Span;
}

export function computePart({ job, models, out, span }: Part): void {
  const values = models.map((buffer) => inMemory(new Float32Array(buffer)));
  const result = new Float32Array(out, span.from * 4, span.to - span.from);
  if (job.kind === "mean") weightedMean(values, job.weights, span, result);
  else rankedMean(values, job.ranks, span, result);
}
