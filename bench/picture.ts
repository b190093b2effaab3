import { FIGURES, type Figure, type FigureName, shown } from "./figures.ts";
import type { Report } from "./report.ts";

const WIDTH = 900;
const LEFT = 200;
/** What a label beside a bar may take. */
const RIGHT = 250;
const ROW = 18;
const GAP = 26;
const COLOURS: Readonly<Record<string, string>> = {
  direct: "#9aa0a6",
  floor: "#9aa0a6",
  least: "#7a8699",
  nginx: "#7a8699",
  turnpike: "#1a73e8",
  "turnpike-bare": "#6ea8f7",
  "turnpike-workers": "#174ea6",
};
const OTHER = "#e8710a";

interface Bar {
  readonly name: string;
  readonly figure: Figure;
  readonly label: string;
}

interface Panel {
  readonly title: string;
  readonly groups: readonly { readonly title: string; readonly bars: readonly Bar[] }[];
}

/** Besides processor time: one figure of one workload each. */
const LATENCIES: readonly (readonly [workload: string, figure: FigureName])[] = [
  ["chat-1", "addedP50Ms"],
  ["chat-1", "addedP99Ms"],
  ["chat-20", "p99Ms"],
  ["chat-200", "p99Ms"],
  ["stream-1", "addedFirstByteP50Ms"],
  ["embeddings-1", "stallMs"],
];

/** A bar for each contender, with a line from the least to the most that a round showed. Bars are on a logarithmic scale. */
export function pictureOf(report: Report): string {
  const panels = [cpuPanel(report), memoryPanel(report), startPanel(report), latencyPanel(report)];
  let y = 0;
  const parts = panels.flatMap((panel) => {
    const groups = panel.groups.filter(({ bars }) => bars.length > 0);
    if (groups.length === 0) return [];
    const drawn = draw({ ...panel, groups }, y);
    y = drawn.end;
    return drawn.parts;
  });
  const style =
    "text{font-family:system-ui,sans-serif;fill:#202124}.back{fill:#ffffff}.line{stroke:#202124}@media (prefers-color-scheme: dark){text{fill:#e8eaed}.back{fill:#17181a}.line{stroke:#e8eaed}}";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 8}" role="img" aria-label="Processor time, memory, start and latency by workload and gateway"><style>${style}</style><rect class="back" width="${WIDTH}" height="${y + 8}"/>${parts.join("")}</svg>\n`;
}

const cpuPanel = ({ workloads, rows }: Report): Panel => ({
  title: "Processor time of the gateway per call, µs",
  groups: workloads.map(({ name, title }) => ({
    title,
    bars: rows
      .filter((row) => row.workload === name && row.void === null)
      .flatMap(({ contender, figures: { cpuMicros, timesFloor } }) => {
        if (!cpuMicros) return [];
        const times = timesFloor ? `, ${timesFloor.median.toFixed(2)} x floor` : "";
        return [{ name: contender, figure: cpuMicros, label: `${shown(cpuMicros, 0)}${times}` }];
      }),
  })),
});

const memoryPanel = ({ standing, rows }: Report): Panel => ({
  title: "Resident memory, MB",
  groups: [
    { title: "idle", bars: standing.flatMap(({ name, idleMb }) => barOf(name, idleMb, 0)) },
    { title: "with 1,000 open streams", bars: barsOf(rows, "slow", "residentMb") },
  ],
});

const startPanel = ({ standing }: Report): Panel => ({
  title: "From start to first answered call, ms",
  groups: [{ title: "start", bars: standing.flatMap(({ name, startMs }) => barOf(name, startMs, 0)) }],
});

const latencyPanel = ({ workloads, rows }: Report): Panel => ({
  title: "Latency, ms",
  groups: LATENCIES.flatMap(([workload, figure]) => {
    const title = workloads.find(({ name }) => name === workload)?.title;
    return title ? [{ title: `${title}: ${FIGURES[figure].head}`, bars: barsOf(rows, workload, figure) }] : [];
  }),
});

const barsOf = (rows: Report["rows"], workload: string, figure: FigureName): Bar[] =>
  rows
    .filter((row) => row.workload === workload && row.void === null)
    .flatMap(({ contender, figures }) => barOf(contender, figures[figure] ?? null, FIGURES[figure].digits));

const barOf = (name: string, figure: Figure, digits: number): Bar[] =>
  figure === null ? [] : [{ name, figure, label: shown(figure, digits) }];

function draw({ title, groups }: Panel, top: number): { readonly parts: string[]; readonly end: number } {
  const figures = groups.flatMap(({ bars }) => bars.flatMap(({ figure }) => figure ?? []));
  const most = Math.max(...figures.map(({ high }) => high));
  // The shortest bar is not nothing: the scale begins well below it.
  const least = Math.min(...figures.map(({ low }) => Math.max(low, most / 1e5))) / 3;
  const x = (value: number) =>
    (Math.log(Math.max(value, least) / least) / Math.log(most / least)) * (WIDTH - LEFT - RIGHT);
  let y = top + 24;
  const parts = [text(10, y, `${title} (logarithmic, shorter is better)`, "600 14px", "start")];
  y += 24;
  for (const group of groups) {
    parts.push(text(10, y, group.title, "600 13px", "start"));
    y += 8;
    for (const { name, figure, label } of group.bars) {
      const [width, low, high] = [figure?.median ?? 0, figure?.low ?? 0, figure?.high ?? 0].map(x);
      parts.push(text(LEFT - 8, y + 12, name, "12px", "end"));
      parts.push(
        `<rect x="${LEFT}" y="${y}" width="${Math.max(1, width ?? 0).toFixed(1)}" height="${ROW - 5}" rx="2" fill="${COLOURS[name] ?? OTHER}"/>`,
      );
      parts.push(
        `<path class="line" d="M${(LEFT + (low ?? 0)).toFixed(1)} ${y + 6.5}H${(LEFT + (high ?? 0)).toFixed(1)}"/>`,
      );
      parts.push(text(LEFT + (high ?? 0) + 6, y + 11, label, "11px", "start"));
      y += ROW;
    }
    y += GAP;
  }
  return { parts, end: y };
}

const text = (x: number, y: number, said: string, font: string, anchor: string): string =>
  `<text x="${x.toFixed(1)}" y="${y}" style="font:${font} system-ui,sans-serif" text-anchor="${anchor}">${said.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;
