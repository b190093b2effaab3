import { LOAD, LOAD_OF_TWO, type Result, type Results } from "./results.ts";

/** The tables of `docs/routing.md`. */
export const renderTables = ({ ofFour, ofTwo }: Results): string =>
  [
    `Four deployments, ${LOAD.callsPerSecond} calls a second for ${LOAD.lastsMs / 60_000} minutes, ` +
      `${LOAD.timeoutMs / 1000} seconds for the first byte, two retries:`,
    "",
    ...table(ofFour),
    "",
    `One of two deployments in trouble, ${LOAD_OF_TWO.callsPerSecond} calls a second:`,
    "",
    ...table(ofTwo),
  ].join("\n");

const table = (results: readonly Result[]): readonly string[] => [
  "| Scenario | Strategy | p50 ms | p95 ms | p99 ms | errors | attempts per call |",
  "|---|---|---:|---:|---:|---:|---:|",
  ...results.flatMap(({ scenario, rows }) =>
    rows.map(({ strategy, outcome }, index) => {
      const named = index === 0 ? `**${scenario.name}**: ${scenario.says}` : "";
      const times = [outcome.p50Ms, outcome.p95Ms, outcome.p99Ms].map((ms) => Math.round(ms));
      const errors = `${(outcome.errorRate * 100).toFixed(2)} %`;
      return `| ${[named, `\`${strategy}\``, ...times, errors, outcome.attemptsPerCall.toFixed(3)].join(" | ")} |`;
    }),
  ),
];
