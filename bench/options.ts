import { parseArgs } from "node:util";

export const USAGE = `npm run bench -- [options]    compare Turnpike with a bare relay and with its peers

  --quick               finish in about two minutes: chat, stream and prompt-40k in short rounds
  --rounds N            rounds that count (default 3; 2 with --quick)
  --warm-up N           rounds before them: the runtime compiles for about 30,000 calls (default 3; 1 with --quick)
  --share N             part of the calls and of the time of each workload (default 1; 0.1 with --quick)
  --only a,b            workloads by name (default: all)
  --contenders a,b      direct, floor, least, turnpike, turnpike-bare, turnpike-workers, turnpike-plain,
                        turnpike-routed, turnpike-guarded (default: direct, floor, turnpike, turnpike-bare)
  --peers-file FILE     other gateways to start or to call; bench/PEERS.md describes the file
  --json FILE           write all measurements to a file, for npm run bench:results`;

export interface BenchOptions {
  readonly rounds: number;
  readonly warmUp: number;
  readonly share: number;
  /** The part of a workload in a warm-up round. */
  readonly warmUpShare: number;
  /** The longest round; null: as the workload says. */
  readonly roundSeconds: number | null;
  /** How often a contender is started to time its start. */
  readonly starts: number;
  readonly only: readonly string[];
  readonly contenders: readonly string[];
  readonly peersFile: string | null;
  readonly json: string | null;
}

const QUICK = { rounds: 2, warmUp: 1, share: 0.1, warmUpShare: 0.3, roundSeconds: 6, starts: 1 };
const WHOLE = { rounds: 3, warmUp: 3, share: 1, warmUpShare: 1, roundSeconds: null, starts: 5 };

/** Parses the options of a run. Returns null for `--help`. */
export function parseOptions(args: string[]): BenchOptions | null {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      "warm-up": { type: "string" },
      share: { type: "string" },
      only: { type: "string" },
      contenders: { type: "string", default: "direct,floor,turnpike,turnpike-bare" },
      "peers-file": { type: "string" },
      json: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return null;
  const defaults = values.quick ? QUICK : WHOLE;
  const share = parseCount("--share", values.share) ?? defaults.share;
  return {
    ...defaults,
    rounds: parseCount("--rounds", values.rounds) ?? defaults.rounds,
    warmUp: parseCount("--warm-up", values["warm-up"]) ?? defaults.warmUp,
    share,
    warmUpShare: Math.max(defaults.warmUpShare, share),
    only: parseList(values.only ?? (values.quick ? "chat,stream,prompt-40k" : "")),
    contenders: parseList(values.contenders),
    peersFile: values["peers-file"] ?? null,
    json: values.json ?? null,
  };
}

const parseList = (text: string): string[] => text.split(",").filter((name) => name !== "");

function parseCount(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (Number.isFinite(number) && number > 0) return number;
  throw new Error(`${name} must be a number above zero, not ${text}.`);
}
