import type { Result, Row } from "./results.ts";

const PANEL = { width: 450, height: 196, columns: 2, gap: 18 };
const EDGE = 24;
const HEAD = 74;
const FOOT = 48;
const ROW = { first: 58, height: 21 };
const PLOT = { left: 156, right: 392 };
const SCALE = { fromMs: 200, toMs: 40_000 };
const GRID_MS = [300, 1_000, 3_000, 10_000, 30_000];
const FAVOURITE = "peak-latency";

const STYLE = `
  .paper { fill: #ffffff } .panel { fill: #f6f8fc; stroke: #d9e0ee } .grid { stroke: #dfe5f0 }
  .title { fill: #14213d; font-size: 20px; font-weight: 650 } .name { fill: #14213d; font-size: 14px; font-weight: 650 }
  .say { fill: #55617d; font-size: 12px } .tick { fill: #7683a0; font-size: 10px }
  .who { fill: #3c4864; font-size: 12px } .best { fill: #0b6b57; font-weight: 650 }
  .span { stroke: #8fa1c4; stroke-width: 3; stroke-linecap: round } .span.fav { stroke: #12a383 }
  .p50 { fill: #f6f8fc; stroke: #5d719c; stroke-width: 2 } .p95 { fill: #5d719c } .p99 { fill: #2c4579 }
  .fav.p50 { stroke: #0d8a6e } .fav.p95 { fill: #0d8a6e } .fav.p99 { fill: #0b6b57 }
  .bad { fill: #b3261e; font-size: 11px; font-weight: 650 } .good { fill: #7683a0; font-size: 11px }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #10151f } .panel { fill: #171e2b; stroke: #2b3548 } .grid { stroke: #283143 }
    .title, .name { fill: #eef2fb } .say { fill: #a9b4cc } .tick { fill: #8592ad } .who { fill: #c9d2e6 }
    .best { fill: #58d6b7 } .span { stroke: #60719a } .span.fav { stroke: #1f9f82 }
    .p50 { fill: #171e2b; stroke: #9db1dd } .p95 { fill: #9db1dd } .p99 { fill: #c8d6f7 }
    .fav.p50 { stroke: #45cfae } .fav.p95 { fill: #45cfae } .fav.p99 { fill: #8af0d7 }
    .bad { fill: #ff8a80 } .good { fill: #8592ad }
  }`;

/** Time to the first byte of every strategy in every scenario, from the middle to the slowest of a hundred. */
export function renderPicture(results: readonly Result[]): string {
  const rows = Math.ceil(results.length / PANEL.columns);
  const width = EDGE * 2 + PANEL.columns * PANEL.width + (PANEL.columns - 1) * PANEL.gap;
  const height = HEAD + rows * (PANEL.height + PANEL.gap) + FOOT - PANEL.gap;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-sans-serif, system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif" role="img" aria-labelledby="t d">`,
    `<title id="t">Routing strategies side by side</title>`,
    `<desc id="d">For eight scenarios, the time to the first byte (median, 95th and 99th percentile) and the error rate of six routing strategies. The numbers stand in routing.md.</desc>`,
    `<style>${STYLE}\n</style>`,
    `<rect class="paper" width="${width}" height="${height}" rx="10"/>`,
    `<text class="title" x="${EDGE}" y="36">What callers wait for the first byte, by strategy</text>`,
    `<text class="say" x="${EDGE}" y="57">Simulated with the program's own router, four deployments; retries included. Errors that reach the caller stand at the right.</text>`,
    ...results.map((result, index) => panel(result, index)),
    legend(height - 20),
    "</svg>",
    "",
  ].join("\n");
}

function panel({ scenario, rows }: Result, index: number): string {
  const x = EDGE + (index % PANEL.columns) * (PANEL.width + PANEL.gap);
  const y = HEAD + Math.floor(index / PANEL.columns) * (PANEL.height + PANEL.gap);
  const bottom = ROW.first + rows.length * ROW.height - 8;
  const best = Math.min(...rows.map(({ outcome }) => outcome.p99Ms));
  return [
    `<g transform="translate(${x} ${y})">`,
    `<rect class="panel" width="${PANEL.width}" height="${PANEL.height}" rx="8"/>`,
    `<text x="16" y="25"><tspan class="name">${scenario.name}</tspan><tspan class="say" dx="10">${scenario.says}</tspan></text>`,
    ...GRID_MS.map((ms) => {
      const at = place(ms);
      return `<path class="grid" d="M${at} 42V${bottom}"/><text class="tick" x="${at}" y="${bottom + 12}" text-anchor="middle">${ms / 1000} s</text>`;
    }),
    ...rows.map((row, nth) => line(row, ROW.first + nth * ROW.height, row.outcome.p99Ms <= best * 1.05)),
    "</g>",
  ].join("\n");
}

function line({ strategy, outcome }: Row, y: number, best: boolean): string {
  const fav = strategy === FAVOURITE ? " fav" : "";
  const [p50, p95, p99] = [outcome.p50Ms, outcome.p95Ms, outcome.p99Ms].map(place);
  const errors = `${(outcome.errorRate * 100).toFixed(outcome.errorRate >= 0.1 ? 0 : 1)} %`;
  return [
    `<text class="who${best ? " best" : ""}" x="${PLOT.left - 12}" y="${y + 4}" text-anchor="end">${strategy.replace("-routing", "")}</text>`,
    `<path class="span${fav}" d="M${p50} ${y}H${p99}"/>`,
    `<circle class="p50${fav}" cx="${p50}" cy="${y}" r="4"/><circle class="p95${fav}" cx="${p95}" cy="${y}" r="3"/><circle class="p99${fav}" cx="${p99}" cy="${y}" r="5"/>`,
    `<text class="${outcome.errorRate > 0 ? "bad" : "good"}" x="${PANEL.width - 14}" y="${y + 4}" text-anchor="end">${errors}</text>`,
  ].join("");
}

/** Where a time lies; each step to the right is so many times as long. */
function place(ms: number): number {
  const within = Math.min(SCALE.toMs, Math.max(SCALE.fromMs, ms));
  const part = Math.log(within / SCALE.fromMs) / Math.log(SCALE.toMs / SCALE.fromMs);
  return Math.round((PLOT.left + part * (PLOT.right - PLOT.left)) * 10) / 10;
}

const legend = (y: number): string =>
  [
    `<circle class="p50" cx="${EDGE + 6}" cy="${y - 4}" r="4"/><text class="say" x="${EDGE + 18}" y="${y}">half of the calls are quicker</text>`,
    `<circle class="p95" cx="${EDGE + 206}" cy="${y - 4}" r="3"/><text class="say" x="${EDGE + 216}" y="${y}">95 of 100</text>`,
    `<circle class="p99" cx="${EDGE + 296}" cy="${y - 4}" r="5"/><text class="say" x="${EDGE + 308}" y="${y}">99 of 100</text>`,
    `<text x="${EDGE + 400}" y="${y}"><tspan class="who best">green names</tspan><tspan class="say" dx="6">are within 5 % of the lowest p99 of their scenario</tspan></text>`,
  ].join("");
