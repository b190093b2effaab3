import type { FigureName } from "./figures.ts";
import type { Report } from "./report.ts";

/** A target of Turnpike with all features on, and the measured figure. */
export interface Goal {
  readonly what: string;
  /** Null when the run did not measure it. */
  readonly measured: number | null;
  readonly bound: number;
  readonly rule: "at most" | "at least";
}

const OWN = "turnpike";
/** Turnpike with routing, limits, cache and guardrails; `turnpike` has some of these. */
const GUARDED = "turnpike-guarded";
const TIMES_FLOOR_MAX = {
  chat: 1.5,
  stream: 1.3,
  "prompt-40k": 1.3,
  long: 1.3,
  "prompt-400k": 1.3,
  anthropic: 2,
  "anthropic-stream": 2,
  gemini: 2,
  "gemini-stream": 2,
};
/** Processor time of peers in small chat, as a multiple of Turnpike's. */
const PEERS_MIN: Readonly<Record<string, number>> = { portkey: 15, litellm: 40 };

export function goalsOf(report: Report): Goal[] {
  const figureOf = (workload: string, contender: string, figure: FigureName): number | null => {
    const row = report.rows.find((each) => each.workload === workload && each.contender === contender);
    return row?.void === null ? (row.figures[figure]?.median ?? null) : null;
  };
  const titleOf = (workload: string) => report.workloads.find(({ name }) => name === workload)?.title ?? workload;
  const own = (workload: string, figure: FigureName, bound: number, what: string): Goal => ({
    what: `${titleOf(workload)}: ${what}`,
    measured: figureOf(workload, OWN, figure),
    bound,
    rule: "at most",
  });
  const start = report.starts.find(({ name }) => name === OWN);
  const peers = Object.entries(PEERS_MIN).filter(([name]) => report.contenders.some((each) => each.name === name));
  return [
    ...Object.entries(TIMES_FLOOR_MAX).map(([name, bound]) => own(name, "timesFloor", bound, "times the floor's CPU")),
    {
      what: `${titleOf("varied")}: CPU µs of routing, limits, cache and guardrail`,
      measured: figureOf("varied", GUARDED, "overPlainMicros"),
      bound: 15,
      rule: "at most",
    },
    own("prompt-400k", "microsPerKb", 2, "CPU µs for a further kB"),
    own("embeddings-1", "stallMs", 5, "longest wait of another client, ms"),
    own("stream-1", "addedFirstByteP50Ms", 1, "added to the first byte at p50, ms"),
    own("slow", "residentMb", 250, "RSS, MB"),
    { what: "RSS idle, MB", measured: start?.idleMb?.median ?? null, bound: 120, rule: "at most" },
    {
      what: "first response after its start, ms",
      measured: start?.startMs?.median ?? null,
      bound: 500,
      rule: "at most",
    },
    ...peers.flatMap(([peer, times]): Goal[] => [
      ...report.workloads
        .filter(({ name }) => report.rows.some((row) => row.workload === name && row.contender === peer))
        .map(({ name, title }): Goal => {
          const measured = figureOf(name, peer, "timesTurnpike");
          return {
            what: `${title}: ${peer}'s CPU in times of Turnpike's`,
            measured,
            bound: name === "chat" ? times : 1,
            rule: "at least",
          };
        }),
      ...["chat-20", "chat-200"].flatMap((name): Goal[] => {
        const bound = figureOf(name, peer, "p99Ms");
        return bound === null ? [] : [own(name, "p99Ms", bound, `p99 ms, not over ${peer}'s`)];
      }),
    ]),
  ];
}

export function isMet({ measured, bound, rule }: Goal): boolean | null {
  if (measured === null) return null;
  return rule === "at most" ? measured <= bound : measured >= bound;
}

export const GOALS_HEAD = ["", "target", "measured", "met"];

/** Formats the targets that were measured. */
export function goalCellsOf(report: Report): string[][] {
  return goalsOf(report).flatMap((goal) => {
    const met = isMet(goal);
    if (met === null || goal.measured === null) return [];
    const text = (number: number) => number.toFixed(number < 100 ? 2 : 0);
    return [[goal.what, `${goal.rule} ${text(goal.bound)}`, text(goal.measured), met ? "yes" : "NO"]];
  });
}
