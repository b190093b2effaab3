import { expect, test } from "bun:test";
import { readPlan } from "../../src/training/coordinator/plan.ts";
import { drawCurves, renderReport } from "../../src/training/coordinator/report.ts";
import { newRound } from "./new-run.ts";

const plan = readPlan({ name: "line", participants: [{ id: "a", url: "http://127.0.0.1:1" }] });
const scaleOf = (...values: number[]) => {
  const points = values.map((value, at) => [at + 1, value] as const);
  const texts = [...drawCurves([{ name: "a", points }], "a").matchAll(/text-anchor="end">([^<]+)</g)];
  return [Number(texts[0]?.[1]), Number(texts.at(-1)?.[1])];
};

test("the scale of a picture holds every value and zero; shares go up to one", () => {
  expect(scaleOf(0.6, 0.9)).toEqual([0, 1]);
  expect(scaleOf(2, 8)).toEqual([0, 8]);
  expect(scaleOf(-8, -2)).toEqual([-8, 0]);
  expect(scaleOf(-2, 3)).toEqual([-2, 3]);
  expect(scaleOf(0, 0)).toEqual([0, 1]);
});

test("a report of a run that paused before its first round says why, and draws nothing", () => {
  const report = renderReport(plan, [], "a: <refused>");
  expect(report).toContain("<strong>Paused:</strong> a: &#60;refused&#62;.");
  expect(report).not.toContain("<svg");
  expect(renderReport(plan, [], null)).not.toContain("Paused");
});

test("a report says who did not evaluate, and why", () => {
  const evaluationFailures = [{ participant: "a", reason: "no <rows>" }];
  const report = renderReport(plan, [{ ...newRound(1), accuracy: null, evaluationFailures }]);
  expect(report).toContain("a (evaluation): no &#60;rows&#62;");
});
