import { Group, SegmentedControl, Select, Stack, Text } from "@mantine/core";
import { useSearchState } from "../../app/use-search-state.ts";
import { ChartCard } from "../../components/chart-card.tsx";
import { viewerZone } from "../../components/format-time.ts";
import { shortUsd } from "../../components/format-usd.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { stackUsage } from "../../components/stack-usage.ts";
import { askedRange, TIME_RANGE } from "../../components/time-range.ts";
import { TimeRangeSelect } from "../../components/time-range-select.tsx";
import { useUsage } from "../../components/usage-report.ts";
import { useTeamChoice } from "../../session/team-choice.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { GroupTable } from "./group-table.tsx";
import { GROUPS, MEASURES, measureOf } from "./groups.ts";
import { UsageFigures } from "./usage-figures.tsx";

const STATE = { ...TIME_RANGE, by: "model", show: "cost", sort: "-cost" };
const TAGS_PATH = "/api/gw/usage/tags";

/** Calls that failed or are free are calls, too. */
const emptyWords = (measure: string, requests = 0): string =>
  requests === 0
    ? "No calls in this time."
    : `${requests === 1 ? "The call" : "The calls"} of this time ${measure === "cost" ? "cost nothing" : "used no tokens"}.`;

/** Who used what, and for how much: the same sums as a picture, as a table and as a file. */
export default function UsagePage() {
  const [state, set] = useSearchState(STATE);
  const { team, ofWhom } = useTeamChoice();
  const group = GROUPS.find(({ value }) => value === state.by) ?? GROUPS[0];
  if (group === undefined) throw new Error("Usage is told apart by nothing.");
  const { startDate, endDate, step } = askedRange(state);
  const isByTag = group.value === "tag";
  const asked = { startDate, endDate, teamId: team?.id };
  const grouped = { ...asked, ...(isByTag ? {} : { groupBy: group.groupBy }) };
  const options = isByTag ? { path: TAGS_PATH } : {};
  const overTime = useUsage({ ...grouped, bucket: step }, options);
  const inAll = useUsage(grouped, options);
  const totals = useUsage(asked);
  const stack =
    overTime.data &&
    stackUsage(overTime.data, { step, nameOf: group.nameOf, amountOf: (row) => measureOf(state.show, row) });
  return (
    <>
      <PageHeader
        title="Usage"
        about={`Calls${ofWhom} and what they cost. Days are those of ${viewerZone()}.`}
        actions={<ExportMenu rows={inAll.data?.data ?? []} group={group} asked={asked} />}
      />
      <Stack gap="lg">
        <Group gap="sm">
          <TimeRangeSelect state={state} set={set} />
          <Select
            aria-label="By what"
            data={GROUPS.map(({ value, label }) => ({ value, label: `By ${label}` }))}
            value={group.value}
            onChange={(by) => set({ by: by ?? "model" })}
            allowDeselect={false}
            w={150}
          />
        </Group>
        <UsageFigures totals={totals.data?.totals} error={totals.error} />
        <ChartCard
          title={`${MEASURES.find(({ value }) => value === state.show)?.label ?? "Cost"} by ${group.label}`}
          actions={
            <SegmentedControl
              size="sm"
              aria-label="What is drawn"
              data={[...MEASURES]}
              value={state.show}
              onChange={(show) => set({ show })}
            />
          }
          points={stack?.points}
          series={stack?.series ?? []}
          step={step}
          error={overTime.error}
          height={300}
          format={(value) => (state.show === "cost" ? shortUsd(Math.round(value)) : value.toLocaleString())}
          empty={isByTag ? "No call of this time carries a tag." : emptyWords(state.show, totals.data?.totals.requests)}
        />
        {group.isFromLog && (
          <Text size="sm" c="dimmed">
            {isByTag && "A call with two tags counts for both. "}These sums reach as far back as the log does.
          </Text>
        )}
        <GroupTable
          query={inAll}
          group={group}
          sort={state.sort}
          onSort={(sort) => set({ sort })}
          range={{ range: state.range, from: state.from, to: state.to }}
        />
      </Stack>
    </>
  );
}
