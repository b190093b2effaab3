import type { SoakJudgement } from "./judge-soak.ts";

const WIDTH = 720;
const HEIGHT = 240;
const LEFT = 56;
const BOTTOM = 28;
const TOP = 34;

/** Draws the memory by the second, the lowest value of each window as points, and the slope through them. */
export function soakDiagramOf(residentMb: readonly number[], { windows, growth }: SoakJudgement): string {
  const minutes = Math.max(residentMb.length / 60, 1 / 60);
  // The scale begins at zero: otherwise every run would show a mountain.
  const most = Math.max(...residentMb, 1) * 1.1;
  const x = (minute: number) => (LEFT + (minute / minutes) * (WIDTH - LEFT - 12)).toFixed(1);
  const y = (mb: number) => (HEIGHT - BOTTOM - (mb / most) * (HEIGHT - BOTTOM - TOP)).toFixed(1);
  const line = residentMb.map((mb, second) => `${x(second / 60)},${y(mb)}`).join(" ");
  const dots = windows
    .map((point) => `<circle cx="${x(point.x)}" cy="${y(point.y)}" r="2.5" fill="#e8710a"/>`)
    .join("");
  const trend =
    growth === null
      ? ""
      : `<path d="M${x(0)} ${y(growth.intercept)}L${x(minutes)} ${y(growth.intercept + growth.slope * minutes)}" stroke="#e8710a" stroke-width="1.5"/>`;
  const title =
    growth === null
      ? "Resident memory"
      : `Resident memory: ${growth.slope.toFixed(2)} MB/min (${growth.low.toFixed(2)} to ${growth.high.toFixed(2)})`;
  const labels = [0, most / 2, most]
    .map((mb) => text(LEFT - 6, Number(y(mb)) + 4, `${mb.toFixed(0)} MB`, "end"))
    .join("");
  const ends = `${text(LEFT, HEIGHT - 8, "0", "start")}${text(WIDTH - 12, HEIGHT - 8, `${minutes.toFixed(1)} min`, "end")}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}"><style>text{font:11px system-ui,sans-serif;fill:#202124}.back{fill:#ffffff}@media (prefers-color-scheme: dark){text{fill:#e8eaed}.back{fill:#17181a}}</style><rect class="back" width="${WIDTH}" height="${HEIGHT}"/>${text(12, 20, title, "start")}<polyline points="${line}" fill="none" stroke="#1a73e8"/>${trend}${dots}${labels}${ends}</svg>\n`;
}

const text = (x: number, y: number, said: string, anchor: string): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}">${said}</text>`;
