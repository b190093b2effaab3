import { FIGURES } from "./figures.ts";
import { goalsOf, isMet } from "./goals.ts";
import type { SoakReport } from "./judge-soak.ts";
import { cellsOf, type Report, type Row, START_HEAD, startCellsOf } from "./report.ts";

/** Programs for comparison, which are not gateways. */
const BASELINES: ReadonlySet<string> = new Set(["direct", "floor", "least"]);
const OWN = "turnpike";
/** Excludes the other settings of Turnpike: they would be compared with `turnpike`. */
const isGateway = (name: string): boolean => !BASELINES.has(name) && !name.startsWith(`${OWN}-`);

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
    "### Gateways by CPU µs, the least first",
    tableOf(
      ["", "gateways"],
      report.workloads.map((workload) => rankingOf(workload, report.rows)),
    ).replace("--:", "---"),
    targetsOf(report),
    "### Start and idle memory",
    tableOf(START_HEAD, startCellsOf(report.starts)),
    ...tables,
  ].join("\n\n");
}

/** Lists the gateways by their processor time in a workload, the least first. */
function rankingOf({ name, title }: Report["workloads"][number], rows: readonly Row[]): string[] {
  const gateways = rows
    .filter(({ workload, void: fault, contender }) => workload === name && fault === null && isGateway(contender))
    .flatMap(({ contender, figures: { cpuMicros } }) => (cpuMicros ? [{ contender, micros: cpuMicros.median }] : []))
    .toSorted((a, b) => a.micros - b.micros);
  return [capitalized(title), gateways.map(({ contender, micros }) => `${contender} ${micros.toFixed(0)}`).join(", ")];
}

function targetsOf(report: Report): string {
  const results = goalsOf(report).flatMap((goal) => isMet(goal) ?? []);
  const met = results.filter((each) => each).length;
  return `Turnpike meets ${met} of its ${results.length} targets in \`bench/goals.ts\`; \`npm run bench\` prints them.`;
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
