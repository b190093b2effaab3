import { escapeHtml } from "../../lib/html.ts";
import type { Plan } from "./plan.ts";
import type { RoundRecord } from "./run-folder.ts";

const PLOT = { left: 60, top: 36, width: 560, height: 240 } as const;
const KEY = { left: PLOT.left + PLOT.width + 20, line: 18, width: 250 } as const;
const LINES = 4;

interface Curve {
  readonly name: string;
  readonly points: ReadonlyArray<readonly [round: number, value: number]>;
}

const COLORS = ["#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2"];
/** With more curves than colours the second lot is dashed. */
const DASHES = ["", ' stroke-dasharray="5 3"', ' stroke-dasharray="1.5 2.5"'];

/** Curves over rounds, as a picture that needs nothing else. */
export function drawCurves(curves: readonly Curve[], label: string): string {
  const points = curves.flatMap((curve) => curve.points);
  const rounds = Math.max(1, ...points.map(([round]) => round));
  const [low, high] = rangeOf(points.map(([, value]) => value));
  const x = (round: number) => PLOT.left + ((round - 1) / Math.max(1, rounds - 1)) * PLOT.width;
  const y = (value: number) => PLOT.top + (1 - (value - low) / (high - low)) * PLOT.height;
  const bottom = PLOT.top + PLOT.height;
  const grid = Array.from({ length: LINES + 1 }, (_, at) => low + ((high - low) * at) / LINES).map(
    (value) =>
      `<path d="M${PLOT.left},${y(value).toFixed(1)} h${PLOT.width}" stroke="#e5e7eb"/>` +
      `<text x="${PLOT.left - 6}" y="${(y(value) + 4).toFixed(1)}" text-anchor="end">${Number(value.toPrecision(3))}</text>`,
  );
  const ticks = [...new Set([1, Math.round((rounds + 1) / 2), rounds])].map(
    (round) => `<text x="${x(round).toFixed(1)}" y="${bottom + 16}" text-anchor="middle">${round}</text>`,
  );
  const lines = curves.map(({ name, points: own }, at) => {
    const stroke = `stroke="${COLORS[at % COLORS.length]}" stroke-width="1.5"${DASHES[Math.floor(at / COLORS.length) % DASHES.length]}`;
    const path = own.map(([round, value]) => `${x(round).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    const place = PLOT.top + 8 + KEY.line * at;
    const key = `<path d="M${KEY.left},${place} h22" ${stroke}/><text x="${KEY.left + 28}" y="${place + 4}">${escapeHtml(name)}</text>`;
    return `<polyline fill="none" stroke-linejoin="round" ${stroke} points="${path}"/>${curves.length > 1 ? key : ""}`;
  });
  const width = curves.length > 1 ? KEY.left + KEY.width : PLOT.left + PLOT.width + 20;
  const height = Math.max(bottom + 40, PLOT.top + KEY.line * curves.length + 16);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui" font-size="11" fill="#374151">`,
    `<title>${escapeHtml(label)}</title><rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="${PLOT.left}" y="20" font-size="13">${escapeHtml(label)}</text>`,
    ...grid,
    ...ticks,
    `<text x="${PLOT.left + PLOT.width / 2}" y="${bottom + 32}" text-anchor="middle">round</text>`,
    ...lines,
    "</svg>",
  ].join("\n");
}

/** From zero, or from below it, up to the most or to zero; shares go up to one. */
function rangeOf(values: readonly number[]): [number, number] {
  const [low, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  return [low, low === most || (low === 0 && most <= 1 && most > 0.5) ? 1 : most];
}

export const accuracyCurve = (name: string, rounds: readonly RoundRecord[]): Curve => ({
  name,
  points: rounds.flatMap(({ round, accuracy }) => (accuracy === null ? [] : [[round, accuracy] as const])),
});

const dropText = ({ participant, phase, reason }: RoundRecord["dropped"][number]): string =>
  `${participant}${phase === undefined ? "" : ` (${phase})`}: ${reason}`;

const failText = ({ participant, reason }: { participant: string; reason: string }): string =>
  `${participant} (evaluation): ${reason}`;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;

/** What a report says above the rows of its rounds. It is all that is held of them. */
export class ReportFacts {
  private readonly accuracies: Array<readonly [round: number, value: number]> = [];
  private count = 0;
  private last: Pick<RoundRecord, "accuracy" | "epsilon"> | null = null;
  private savedBytes = 0;
  private sentBytes = 0;

  add({ round, accuracy, epsilon, savedBytes = 0, replies }: RoundRecord): void {
    this.count++;
    this.last = { accuracy, epsilon };
    if (accuracy !== null) this.accuracies.push([round, accuracy]);
    this.savedBytes += savedBytes;
    for (const { bytes } of replies) this.sentBytes += bytes;
  }

  /** The page up to its rows, and why it went no further where it paused. */
  render(plan: Plan, paused: string | null): string {
    const { last, count, savedBytes: saved, sentBytes: sent, accuracies: points } = this;
    const privacy =
      last?.epsilon == null
        ? ""
        : `<p>Privacy spent: epsilon ${last.epsilon.toFixed(2)} at delta ${plan.noise?.delta}.</p>`;
    const secure =
      plan.secure === undefined
        ? ""
        : `<p>Secure aggregation: updates were masked, and the coordinator saw only their sums; at least ${plan.secure.threshold} of ${plan.sample} had to stay. Changes were cut to ±${plan.secure.clip}.</p>`;
    const stopped = paused === null ? "" : `<p><strong>Paused:</strong> ${escapeHtml(paused)}.</p>`;
    const picture = points.length === 0 ? "" : drawCurves([{ name: "accuracy", points }], "accuracy over rounds");
    const packed =
      saved === 0 ? "" : `<p>Updates came packed: ${megabytes(sent)} instead of ${megabytes(sent + saved)}.</p>`;
    return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(plan.name)}</title>
<style>body{font:14px system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}.rounds{overflow-x:auto}td,th{border-bottom:1px solid #ddd;padding:.2rem .4rem;text-align:left}</style>
<h1>${escapeHtml(plan.name)}</h1>
<p>${escapeHtml(plan.delegated ? "aggregated by participants" : plan.strategy.name)}, ${plan.participants.length} participants, ${count} of ${plan.rounds} rounds, seed ${plan.seed}.
Accuracy at the end: ${last?.accuracy?.toFixed(4) ?? "not measured"}.</p>${stopped}${privacy}${secure}${packed}
${picture}
<div class="rounds" tabindex="0" role="region" aria-label="Rounds"><table><tr><th>round<th>accuracy<th>loss<th>counted<th>cosine<th>model<th>remarks</tr>
`;
  }
}

/** What comes after the rows. */
export const REPORT_END = "</table></div></html>\n";

export function reportRow(one: RoundRecord): string {
  const cells = [
    one.round,
    one.accuracy === null ? "" : one.accuracy.toFixed(4),
    one.loss === null ? "" : one.loss.toFixed(4),
    `${one.replies.filter(({ counted }) => counted).length} of ${one.replies.length + one.dropped.length}`,
    one.cosine?.toFixed(2) ?? "",
    one.modelOut.slice(0, 12),
    [
      one.aggregatedBy === undefined ? "" : `aggregated by ${one.aggregatedBy}`,
      ...one.dropped.map(dropText),
      ...(one.evaluationFailures ?? []).map(failText),
      one.warning ?? "",
    ]
      .filter(Boolean)
      .join("; "),
  ];
  return `<tr>${cells.map((cell) => `<td>${escapeHtml(String(cell))}</td>`).join("")}</tr>\n`;
}

/** A page with the curves and a row for every round, and why it went no further where it paused. */
export function renderReport(plan: Plan, rounds: readonly RoundRecord[], paused: string | null = null): string {
  const facts = new ReportFacts();
  for (const one of rounds) facts.add(one);
  return facts.render(plan, paused) + rounds.map(reportRow).join("") + REPORT_END;
}
