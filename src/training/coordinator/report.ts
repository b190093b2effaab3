import { escapeHtml } from "../../lib/html.ts";
import type { Plan } from "./plan.ts";
import type { RoundRecord } from "./run-folder.ts";

const [WIDTH, HEIGHT, MARGIN] = [640, 260, 40];

interface Curve {
  readonly name: string;
  readonly points: ReadonlyArray<readonly [round: number, value: number]>;
}

const COLORS = ["#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2"];

/** Curves over rounds, as a picture that needs nothing else. */
export function drawCurves(curves: readonly Curve[], label: string): string {
  const points = curves.flatMap((curve) => curve.points);
  const rounds = Math.max(1, ...points.map(([round]) => round));
  const values = points.map(([, value]) => value);
  const [low, high] = [Math.min(0, ...values), Math.max(1e-9, ...values)];
  const x = (round: number) => MARGIN + ((round - 1) / Math.max(1, rounds - 1)) * (WIDTH - 2 * MARGIN);
  const y = (value: number) => HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN);
  const lines = curves.map(({ name, points: own }, at) => {
    const color = COLORS[at % COLORS.length];
    const path = own.map(([round, value]) => `${x(round).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    const key = `<text x="${WIDTH - MARGIN}" y="${MARGIN + 14 * at}" text-anchor="end" fill="${color}">${escapeHtml(name)}</text>`;
    return `<polyline fill="none" stroke="${color}" stroke-width="1.5" points="${path}"/>${curves.length > 1 ? key : ""}`;
  });
  const ticks = [low, (low + high) / 2, high].map(
    (value) => `<text x="${MARGIN - 6}" y="${y(value) + 4}" text-anchor="end">${value.toPrecision(3)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui" font-size="11">`,
    `<title>${escapeHtml(label)}</title><rect width="100%" height="100%" fill="#fff"/>`,
    `<path d="M${MARGIN},${MARGIN} V${HEIGHT - MARGIN} H${WIDTH - MARGIN}" fill="none" stroke="#888"/>`,
    ...ticks,
    `<text x="${WIDTH - MARGIN}" y="${HEIGHT - 12}" text-anchor="end">round ${rounds}</text>`,
    `<text x="${MARGIN}" y="20">${escapeHtml(label)}</text>`,
    ...lines,
    "</svg>",
  ].join("\n");
}

export const accuracyCurve = (name: string, rounds: readonly RoundRecord[]): Curve => ({
  name,
  points: rounds.flatMap(({ round, accuracy }) => (accuracy === null ? [] : [[round, accuracy] as const])),
});

const dropText = ({ participant, phase, reason }: RoundRecord["dropped"][number]): string =>
  `${participant}${phase === undefined ? "" : ` (${phase})`}: ${reason}`;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;

/** A page with the curves and a row for every round. */
export function renderReport(plan: Plan, rounds: readonly RoundRecord[]): string {
  const rows = rounds.map((one) => {
    const cells = [
      one.round,
      one.accuracy === null ? "" : one.accuracy.toFixed(4),
      one.loss === null ? "" : one.loss.toFixed(4),
      `${one.replies.filter(({ counted }) => counted).length} of ${one.replies.length + one.dropped.length}`,
      one.cosine?.toFixed(2) ?? "",
      one.modelOut.slice(0, 12),
      [...one.dropped.map(dropText), one.warning ?? ""].filter(Boolean).join("; "),
    ];
    return `<tr>${cells.map((cell) => `<td>${escapeHtml(String(cell))}</td>`).join("")}</tr>`;
  });
  const last = rounds.at(-1);
  const privacy =
    last?.epsilon == null
      ? ""
      : `<p>Privacy spent: epsilon ${last.epsilon.toFixed(2)} at delta ${plan.noise?.delta}.</p>`;
  const secure =
    plan.secure === undefined
      ? ""
      : `<p>Secure aggregation: updates were masked, and the coordinator saw only their sums; at least ${plan.secure.threshold} of ${plan.sample} had to stay. Changes were cut to ±${plan.secure.clip}.</p>`;
  const saved = rounds.reduce((sum, { savedBytes = 0 }) => sum + savedBytes, 0);
  const sent = rounds.flatMap(({ replies }) => replies).reduce((sum, { bytes }) => sum + bytes, 0);
  const packed =
    saved === 0 ? "" : `<p>Updates came packed: ${megabytes(sent)} instead of ${megabytes(sent + saved)}.</p>`;
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>${escapeHtml(plan.name)}</title>
<style>body{font:14px system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ddd;padding:.2rem .4rem;text-align:left}</style>
<h1>${escapeHtml(plan.name)}</h1>
<p>${escapeHtml(plan.strategy.name)}, ${plan.participants.length} participants, ${rounds.length} of ${plan.rounds} rounds, seed ${plan.seed}.
Accuracy at the end: ${last?.accuracy?.toFixed(4) ?? "not measured"}.</p>${privacy}${secure}${packed}
${drawCurves([accuracyCurve("accuracy", rounds)], "accuracy over rounds")}
<table><tr><th>round<th>accuracy<th>loss<th>counted<th>cosine<th>model<th>remarks</tr>
${rows.join("\n")}
</table></html>
`;
}
