import type { Wire } from "../wire/request-bodies.ts";

type Fields = Readonly<Record<string, unknown>>;

/** How models reach participants, and which part of a round the coordinator leaves to them. Absent: the default. */
export interface PlanWire {
  /** The form of requests (default: each participant's own). */
  readonly wire?: Exclude<Wire, "auto">;
  /** A participant aggregates the updates, so that they may have a format that the coordinator cannot read. */
  readonly delegated?: true;
}

const WIRES: readonly unknown[] = ["auto", "binary", "json"] satisfies readonly Wire[];

/** Settings that change or compare single updates, with their defaults. */
const OF_THE_COORDINATOR: ReadonlyArray<readonly [name: string, usual: unknown]> = [
  ...["strategy", "clip", "noise", "max_examples", "secure_aggregation", "format", "shape", "outlier_factor"].map(
    (name) => [name, undefined] as const,
  ),
  ["compression", "none"],
  ["late", "drop"],
  ["mode", "synchronous"],
];

/** Reads `wire` and `aggregate` of a plan, and reports settings that contradict them. */
export function readWire(plan: Fields, problems: string[]): PlanWire {
  const { wire = "auto", aggregate = "coordinator" } = plan;
  if (!WIRES.includes(wire)) problems.push("wire must be auto, binary or json");
  if (aggregate !== "coordinator" && aggregate !== "participants")
    problems.push("aggregate must be coordinator or participants");
  const delegated = aggregate === "participants";
  if (delegated) {
    const clashing = OF_THE_COORDINATOR.filter(([name, usual]) => plan[name] !== undefined && plan[name] !== usual);
    problems.push(
      ...clashing.map(([name]) => `${name} needs updates that the coordinator reads; remove it or aggregate`),
    );
  }
  if (wire === "json") {
    const clashing = ["secure_aggregation", "compression"].filter((name) => (plan[name] ?? "none") !== "none");
    problems.push(...clashing.map((name) => `${name} needs the binary form of requests; remove it or wire`));
  }
  return { ...(wire === "json" || wire === "binary" ? { wire } : {}), ...(delegated ? { delegated } : {}) };
}
