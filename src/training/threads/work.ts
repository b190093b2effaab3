import { type MeasuredPart, measureSpan } from "../aggregate/measure.ts";
import { broadcast, changed, type Span } from "../aggregate/values.ts";
import { foldSpan } from "../strategies/fold-span.ts";
import { type StrategySpec, strategyOf } from "../strategies/strategies.ts";
import type { Choice } from "../strategies/strategy.ts";
import { lengthOfSource, OpenSources, type Source } from "./source.ts";

/** An update and the model that it began from; null where it began from nothing. */
export interface ChangeSource {
  readonly values: Source;
  readonly base: Source | null;
}

export interface MeasureWork {
  readonly kind: "measure";
  readonly changes: readonly ChangeSource[];
  readonly compared: readonly number[];
}

export interface FoldWork {
  readonly kind: "fold";
  readonly strategy: StrategySpec;
  readonly choice: Choice;
  /** Those that count, in order, and by how much each change is shortened. */
  readonly changes: ReadonlyArray<ChangeSource & { readonly factor: number }>;
  readonly global: Source | null;
  readonly memory: Readonly<Record<string, Source>>;
  readonly out: SharedArrayBuffer;
  readonly memoryOut: Readonly<Record<string, SharedArrayBuffer>>;
}

/** Work on the numbers of models, in a form that can be sent to another thread. */
export type Work = MeasureWork | FoldWork;
export type Part = Work & { readonly span: Span };

export function computePart(part: Part): MeasuredPart | null {
  const sources = new OpenSources();
  try {
    if (part.kind === "measure") return measurePart(part, sources);
    foldPart(part, sources);
    return null;
  } finally {
    sources.close();
  }
}

function measurePart({ changes, compared, span }: MeasureWork & { span: Span }, sources: OpenSources): MeasuredPart {
  const opened = changes.map(({ values, base }) => ({
    values: sources.open(values),
    base: base === null ? broadcast(lengthOfSource(values), 0) : sources.open(base),
  }));
  return measureSpan(opened, new Set(compared), span);
}

function foldPart(work: FoldWork & { span: Span }, sources: OpenSources): void {
  const { span, out, changes } = work;
  const strategy = strategyOf(work.strategy);
  const length = out.byteLength / 4;
  const openOr = (source: Source | null | undefined, value: number) =>
    source ? sources.open(source) : broadcast(length, value);
  const global = openOr(work.global, 0);
  const updates = changes.map(({ values, base, factor }) => {
    const own = sources.open(values);
    const unchanged = factor === 1 && isSame(base, work.global);
    return unchanged ? own : changed(own, openOr(base, 0), global, factor);
  });
  const memory = Object.entries(strategy.memory).map(
    ([name, first]) => [name, openOr(work.memory[name], first)] as const,
  );
  const own = (buffer: SharedArrayBuffer) => new Float32Array(buffer, span.from * 4, span.to - span.from);
  const memoryOut = Object.entries(work.memoryOut).map(([name, buffer]) => [name, own(buffer)] as const);
  foldSpan(strategy, work.choice, { updates, global, memory: Object.fromEntries(memory) }, span, {
    values: own(out),
    memory: Object.fromEntries(memoryOut),
  });
}

function isSame(a: Source | null, b: Source | null): boolean {
  if (a === null || b === null) return a === b;
  if ("shared" in a || "shared" in b) return "shared" in a && "shared" in b && a.shared === b.shared;
  return a.path === b.path && a.offset === b.offset;
}
