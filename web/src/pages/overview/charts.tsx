import { SegmentedControl, SimpleGrid } from "@mantine/core";
import { useSearchState } from "../../app/use-search-state.ts";
import { ChartCard } from "../../components/chart-card.tsx";
import { formatMs } from "../../components/format-ms.ts";
import { shortUsd } from "../../components/format-usd.ts";
import { stackUsage, stepsOf } from "../../components/stack-usage.ts";
import { hoursAgo, localDay, type UsageReport, useUsage } from "../../components/usage-report.ts";

const STATE = { range: "day" };
const RANGES = [
  { value: "day", label: "24 hours" },
  { value: "month", label: "30 days" },
];
const REFRESH_MS = 60_000;

/** Spend, requests and latency of the last day or month, in the viewer's zone. */
export function Charts({ teamId }: { teamId: string | undefined }) {
  const [{ range }, set] = useSearchState(STATE);
  const step = range === "month" ? "day" : "hour";
  const startDate = step === "day" ? localDay(-29) : hoursAgo(23);
  const asked = { startDate, bucket: step, teamId };
  const byModel = useUsage({ ...asked, groupBy: "model" }, { refetchMs: REFRESH_MS });
  const all = useUsage(asked, { refetchMs: REFRESH_MS });
  const cost =
    byModel.data &&
    stackUsage(byModel.data, { step, nameOf: ({ model }) => model ?? "none", amountOf: (row) => row.cost });
  return (
    <>
      <ChartCard
        title="Spend by model"
        actions={
          <SegmentedControl
            size="sm"
            aria-label="How far back"
            data={RANGES}
            value={range}
            onChange={(value) => set({ range: value })}
          />
        }
        points={cost?.points}
        series={cost?.series ?? []}
        step={step}
        error={byModel.error}
        format={(value) => shortUsd(Math.round(value))}
        empty="Nothing was spent in this time."
      />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <ChartCard
          title="Requests"
          points={all.data && requestPoints(all.data, step)}
          series={[
            { name: "good", label: "good", color: "pine.6" },
            { name: "failed", label: "with an error", color: "red.5" },
          ]}
          step={step}
          error={all.error}
          height={220}
          empty="No calls in this time."
        />
        <ChartCard
          title="Time per call, on average"
          kind="lines"
          points={all.data && latencyPoints(all.data, step)}
          series={[
            { name: "whole", label: "whole call", color: "pine.6" },
            { name: "first", label: "first byte", color: "orange.5" },
          ]}
          step={step}
          error={all.error}
          height={220}
          format={(value) => formatMs(value)}
          empty="No calls in this time."
        />
      </SimpleGrid>
    </>
  );
}

type Step = "hour" | "day";

/** The report's own row of each step; steps without calls have none. */
function rowsByStep({ data, meta }: UsageReport, step: Step) {
  return stepsOf(meta, step).map((at) => ({
    at: new Date(at).toISOString(),
    row: data.find(({ start }) => Date.parse(start) === at),
  }));
}

const requestPoints = (report: UsageReport, step: Step) =>
  rowsByStep(report, step).map(({ at, row }) => {
    const failed = row?.failedRequests ?? 0;
    return { at, good: (row?.requests ?? 0) - failed, failed };
  });

/** Where nobody called, there is no latency: the line leaves it out. */
const latencyPoints = (report: UsageReport, step: Step) =>
  rowsByStep(report, step).map(({ at, row }) => ({
    at,
    ...(row?.averageLatencyMs == null ? {} : { whole: row.averageLatencyMs }),
    ...(row?.averageTtftMs == null ? {} : { first: row.averageTtftMs }),
  }));
