import type { Figures } from "./report.ts";

const WIDTH = 900;
const LEFT = 200;
const ROW = 18;
const GAP = 26;
const COLOURS: Readonly<Record<string, string>> = {
  direct: "#9aa0a6",
  floor: "#9aa0a6",
  nginx: "#7a8699",
  turnpike: "#1a73e8",
  "turnpike-bare": "#6ea8f7",
};
const OTHER = "#e8710a";

/** Processor time per call, a group of bars for each workload; long bars are on a logarithmic scale beside short ones. */
export function pictureOf(titles: ReadonlyMap<string, string>, figures: readonly Figures[]): string {
  const shown = figures.filter(({ cpuMicros, void: fault }) => cpuMicros !== null && fault === null);
  const most = Math.max(...shown.map(({ cpuMicros }) => cpuMicros ?? 1), 10);
  const scale = (micros: number) => (Math.log10(Math.max(micros, 1)) / Math.log10(most)) * (WIDTH - LEFT - 90);
  let y = 44;
  const parts: string[] = [];
  for (const [workload, title] of titles) {
    const bars = shown.filter((each) => each.workload === workload);
    if (bars.length === 0) continue;
    parts.push(text(10, y, title, "600 13px", "start"));
    y += 8;
    for (const { contender, cpuMicros, timesFloor } of bars) {
      const micros = cpuMicros ?? 0;
      const width = Math.max(1, scale(micros));
      const label = `${micros < 100 ? micros.toFixed(0) : Math.round(micros).toLocaleString("en")} µs${timesFloor === null ? "" : `, ${timesFloor.toFixed(2)} x floor`}`;
      parts.push(text(LEFT - 8, y + 12, contender, "12px", "end"));
      parts.push(
        `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 5}" rx="2" fill="${COLOURS[contender] ?? OTHER}"/>`,
      );
      parts.push(text(LEFT + width + 6, y + 11, label, "11px", "start"));
      y += ROW;
    }
    y += GAP;
  }
  const style =
    "text{font-family:system-ui,sans-serif;fill:#202124}.back{fill:#ffffff}@media (prefers-color-scheme: dark){text{fill:#e8eaed}.back{fill:#17181a}}";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" role="img" aria-label="Processor time per call by workload and gateway"><style>${style}</style><rect class="back" width="${WIDTH}" height="${y}"/>${text(10, 22, "Processor time of the gateway per call (logarithmic, shorter is better)", "600 14px", "start")}${parts.join("")}</svg>\n`;
}

const text = (x: number, y: number, said: string, font: string, anchor: string): string =>
  `<text x="${x.toFixed(1)}" y="${y}" style="font:${font} system-ui,sans-serif" text-anchor="${anchor}">${said.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;
