import { FIGURES, type Figure, type FigureName, shown } from "./figures.ts";
import type { describeMachine } from "./machine.ts";
import type { Round } from "./measure.ts";
import { spreadOf } from "./statistics.ts";
import type { Workload } from "./workloads.ts";

/** Results of a contender in a workload. Comparisons are made within each round. */
export interface Row {
  readonly workload: string;
  readonly contender: string;
  readonly rounds: number;
  /** The reason that its rounds do not count; one void round suffices. */
  readonly void: string | null;
  readonly figures: Readonly<Partial<Record<FigureName, Figure>>>;
}

/** The start of a contender: the time to its first successful call, and its memory after it. */
export interface ContenderStart {
  readonly name: string;
  readonly absent: string | null;
  readonly startMs: Figure;
  readonly idleMb: Figure;
}

/** All measurements of a run, as `--json` writes them. */
export interface Report {
  readonly command: string;
  readonly machine: ReturnType<typeof describeMachine>;
  readonly contenders: readonly { readonly name: string; readonly about: string }[];
  readonly workloads: readonly Pick<Workload, "name" | "title" | "shows">[];
  readonly starts: readonly ContenderStart[];
  readonly rows: readonly Row[];
}

/** Rounds by workload and contender. */
export class Results {
  private readonly rounds = new Map<string, Round[]>();

  add(workload: string, contender: string, round: Round): void {
    this.rounds.set(`${workload}/${contender}`, [...this.of(workload, contender), round]);
  }

  of(workload: string, contender: string): readonly Round[] {
    return this.rounds.get(`${workload}/${contender}`) ?? [];
  }
}

export function rowOf(workload: Workload, contender: string, results: Results): Row | null {
  const rounds = results.of(workload.name, contender);
  if (rounds.length === 0) return null;
  const names = new Set(rounds.flatMap(({ figures }) => Object.keys(figures) as FigureName[]));
  const own = [...names].map((name) => [name, spreadOf(rounds.flatMap(({ figures }) => figures[name] ?? []))]);
  return {
    workload: workload.name,
    contender,
    rounds: rounds.length,
    void: rounds.find((round) => round.void !== null)?.void ?? null,
    figures: { ...Object.fromEntries(own), ...comparisons(workload, contender, results) },
  };
}

function comparisons(workload: Workload, contender: string, results: Results): Row["figures"] {
  const rounds = results.of(workload.name, contender);
  /** Compares each round with the same round of another contender. Void rounds are not compared. */
  const against = (
    others: readonly Round[],
    name: FigureName,
    figure: (mine: number, other: number) => number,
  ): Figure =>
    spreadOf(
      rounds.flatMap(({ figures }, index) => {
        const [mine, other] = [figures[name], others[index]?.void === null ? others[index].figures[name] : undefined];
        return mine === undefined || other === undefined ? [] : [figure(mine, other)];
      }),
    );
  const ratio = (mine: number, other: number) => mine / other;
  const more = (mine: number, other: number) => mine - other;
  const alike = workload.floor ?? workload.name;
  const direct = contender === "direct" ? [] : results.of(alike, "direct");
  return {
    timesFloor: against(results.of(alike, "floor"), "cpuMicros", ratio),
    timesTurnpike: against(results.of(workload.name, "turnpike"), "cpuMicros", ratio),
    overPlainMicros: against(
      /^turnpike-(?!plain$)/.test(contender) ? results.of(workload.name, "turnpike-plain") : [],
      "cpuMicros",
      more,
    ),
    timesDirect: against(direct, "p50Ms", ratio),
    addedP50Ms: against(direct, "p50Ms", more),
    addedP99Ms: against(direct, "p99Ms", more),
    addedFirstByteP50Ms: against(direct, "firstByteP50Ms", more),
    addedFirstByteP99Ms: against(direct, "firstByteP99Ms", more),
    microsPerKb: against(
      results.of(workload.longerThan?.workload ?? "", contender),
      "cpuMicros",
      (mine, other) => (mine - other) / (workload.longerThan?.byKb ?? 1),
    ),
  };
}

/** Formats a workload as text, with a row for each contender. */
export function tableOf({ title, shows }: Pick<Workload, "title" | "shows">, rows: readonly Row[]): string {
  return `\n${title}\n${aligned([["", ...shows.map((name) => FIGURES[name].head)], ...cellsOf(shows, rows)])}`;
}

export const cellsOf = (shows: readonly FigureName[], rows: readonly Row[]): string[][] =>
  rows.map(({ contender, figures, void: fault }) => [
    contender,
    ...shows.map((name) => (fault === null ? shown(figures[name], FIGURES[name].digits) : "void")),
  ]);

export const START_HEAD = ["", "first response after ms", "idle RSS MB"];

export const startCellsOf = (starts: readonly ContenderStart[]): string[][] =>
  starts
    .filter(({ absent, startMs }) => absent !== null || startMs !== null)
    .map(({ name, absent, startMs, idleMb }) =>
      absent === null ? [name, shown(startMs, 0), shown(idleMb, 0)] : [name, `absent: ${absent}`, ""],
    );

export const startTableOf = (starts: readonly ContenderStart[]): string =>
  `\nstart and idle memory\n${aligned([START_HEAD, ...startCellsOf(starts)])}`;

/** Aligns columns: the first to the left, the others to the right. */
export function aligned(cells: readonly (readonly string[])[]): string {
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  "),
  );
  return lines.join("\n");
}
