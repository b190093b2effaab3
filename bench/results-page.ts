import { FIGURES } from "./figures.ts";
import { GOALS_HEAD, goalCellsOf } from "./goals.ts";
import type { SoakReport } from "./judge-soak.ts";
import { cellsOf, type Report, STANDING_HEAD, standingCellsOf } from "./report.ts";

/** A run as a part of the page of results. */
export function sectionOf(report: Report, picture: string): string {
  const tables = report.workloads.map(({ name, title, shows }) => {
    const rows = report.rows.filter(({ workload }) => workload === name);
    const table = tableOf(["", ...shows.map((each) => FIGURES[each].head)], cellsOf(shows, rows));
    const voids = rows.flatMap(({ contender, void: fault }) =>
      fault === null ? [] : [`- ${contender} is void: ${fault}`],
    );
    return [`**${title}**`, table, ...(voids.length > 0 ? [voids.join("\n")] : [])].join("\n\n");
  });
  return [
    `\`${report.command}\``,
    machineOf(report.machine),
    report.contenders.map(({ name, about }) => `- \`${name}\`: ${about}`).join("\n"),
    `![Every figure as bars](${picture})`,
    "**What Turnpike is meant to reach**",
    tableOf(GOALS_HEAD, goalCellsOf(report)),
    "**From its start to the first answered call, and memory before any other**",
    tableOf(STANDING_HEAD, standingCellsOf(report.standing)),
    ...tables,
  ].join("\n\n");
}

export function soakSectionOf(report: SoakReport, picture: string): string {
  const { command, machine, warmUpSeconds, answered, left, faults, sentence } = report;
  return [
    `\`${command}\``,
    machineOf(machine),
    `${answered.toLocaleString("en")} calls answered, ${left.toLocaleString("en")} left by their clients in mid-stream, ${faults} faults; the first ${warmUpSeconds} s do not count. ${sentence}.`,
    `![Memory over time](${picture})`,
  ].join("\n\n");
}

const machineOf = ({ processors, memoryGb, system, runtime, loadBefore, at }: Report["machine"]): string =>
  `${processors}, ${memoryGb} GB, ${system}, ${runtime}; load before the run ${loadBefore.join(", ")}; ${at.slice(0, 10)}`;

function tableOf(head: readonly string[], cells: readonly (readonly string[])[]): string {
  const line = (row: readonly string[]) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|---${"|--:".repeat(head.length - 1)}|`, ...cells.map(line)].join("\n");
}

/** The page with what stands between the marks of a section replaced. */
export function withSection(page: string, name: string, section: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no section marked ${begin} and ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${section}\n\n${page.slice(to)}`;
}
