import { FIGURES } from "./figures.ts";
import { goalsOf, isMet } from "./goals.ts";
import type { SoakReport } from "./judge-soak.ts";
import { cellsOf, type Report, type Row, START_HEAD, startCellsOf } from "./report.ts";

/** Programs for comparison, which are not gateways. */
const BASELINES: ReadonlySet<string> = new Set(["direct", "floor", "least"]);
const OWN = "turnpike";

/** Formats a run for the page of results. */
export function sectionOf(report: Report): string {
  const tables = report.workloads.map(({ name, title, shows }) => {
    const rows = report.rows.filter(({ workload }) => workload === name);
    const table = tableOf(["", ...shows.map((each) => FIGURES[each].head)], cellsOf(shows, rows));
    const voids = rows.flatMap(({ contender, void: fault }) =>
      fault === null ? [] : [`- ${contender} is void: ${fault}`],
    );
    return [`### ${capitalized(title)}`, table, ...(voids.length > 0 ? [voids.join("\n")] : [])].join("\n\n");
  });
  return [
    runOf(report),
    "### Features that were on",
    tableOf(
      ["", "features"],
      report.contenders.map(({ name, about }) => [`\`${name}\``, about]),
    ).replace("--:", "---"),
    "### Least processor time",
    [...report.workloads.flatMap((workload) => leadOf(workload, report.rows) ?? []), targetsOf(report)].join("\n"),
    "### Start and idle memory",
    tableOf(START_HEAD, startCellsOf(report.starts)),
    ...tables,
  ].join("\n\n");
}

/** Names the gateway with the least processor time of a workload, and compares Turnpike with it. */
function leadOf({ name, title }: Report["workloads"][number], rows: readonly Row[]): string | null {
  const gateways = rows
    .filter((row) => row.workload === name && row.void === null && !BASELINES.has(row.contender))
    .flatMap(({ contender, figures: { cpuMicros } }) => (cpuMicros ? [{ contender, micros: cpuMicros.median }] : []))
    .toSorted((a, b) => a.micros - b.micros);
  const own = gateways.find(({ contender }) => contender === OWN);
  const [first, second] = gateways;
  if (!first || !second || !own) return null;
  const cost = ({ contender, micros }: typeof own) => `\`${contender}\` ${micros.toFixed(0)} µs`;
  const times = (more: number, less: number) => `${(more / less).toFixed(1)} times`;
  return first === own
    ? `- ${capitalized(title)}: ${cost(own)}, then ${cost(second)}, ${times(second.micros, own.micros)} as much.`
    : `- ${capitalized(title)}: ${cost(first)}. ${cost(own)}, ${times(own.micros, first.micros)} as much.`;
}

function targetsOf(report: Report): string {
  const results = goalsOf(report).flatMap((goal) => isMet(goal) ?? []);
  const met = results.filter((each) => each).length;
  return `- Turnpike meets ${met} of its ${results.length} targets in \`bench/goals.ts\`; \`npm run bench\` prints them.`;
}

export function soakSectionOf(report: SoakReport, diagram: string): string {
  const { warmUpSeconds, answered, left, faults, sentence } = report;
  const count = (number: number) => number.toLocaleString("en");
  return [
    runOf(report),
    `- ${count(answered)} completed calls; ${count(left)} streams that their clients left; ${faults} faults
- the first ${warmUpSeconds} s do not count
- ${sentence}`,
    `![Memory over time](${diagram})`,
  ].join("\n\n");
}

/** The command in a code block, which may be long, and the machine. */
function runOf({ command, machine }: Pick<Report, "command" | "machine">): string {
  const { processors, memoryGb, system, runtime, loadBefore, at } = machine;
  return `\`\`\`
${command}
\`\`\`

- ${processors}, ${memoryGb} GB, ${system}, ${runtime}
- ${at.slice(0, 10)}; load before the run ${loadBefore.join(", ")}`;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function tableOf(head: readonly string[], cells: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|---${"|--:".repeat(head.length - 1)}|`, ...cells.map(line)].join("\n");
}

/** Replaces the text between the marks of a section. */
export function withSection(page: string, name: string, section: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has no section between ${begin} and ${end}.`);
  return `${page.slice(0, from + begin.length)}\n\n${section}\n\n${page.slice(to)}`;
}
