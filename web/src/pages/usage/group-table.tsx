import { Box, Skeleton, Table, Text } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ApiError } from "../../api/api-error.ts";
import { AppLink } from "../../components/app-link.tsx";
import type { Column } from "../../components/column.ts";
import { counted } from "../../components/counted.ts";
import classes from "../../components/data-table.module.css";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { Money } from "../../components/money.tsx";
import { SortHeader } from "../../components/sort-header.tsx";
import type { TimeRangeState } from "../../components/time-range.ts";
import type { UsageReport, UsageRow } from "../../components/usage-report.ts";
import { useMaySee } from "../../session/session.ts";
import type { UsageGroup } from "./groups.ts";

interface GroupTableProps {
  readonly query: UseQueryResult<UsageReport, ApiError>;
  readonly group: UsageGroup;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly range: TimeRangeState;
}

/** More rows say nothing to a reader; the file has all of them. */
const ROWS_MAX = 200;

type Figure = Column<UsageRow> & { readonly amountOf: (row: UsageRow) => number | string };

/** The groups of the whole time, with a way to their calls. */
export function GroupTable({ query, group, sort, onSort, range }: GroupTableProps) {
  const { data, error } = query;
  const mayCall = useMaySee()("callers");
  if (error && !data) return <ErrorState error={error} onRetry={() => void query.refetch()} />;
  if (data?.data.length === 0) {
    return (
      <Box className={classes.frame}>
        <EmptyState icon={IconChartBar} title="Nothing to count">
          There were no {group.value === "tag" ? "calls with a tag" : "calls"} in this time. Choose a longer one
          {mayCall && (
            <>
              , or make a call in the <AppLink to="/playground">playground</AppLink>
            </>
          )}
          .
        </EmptyState>
      </Box>
    );
  }
  const columns = columnsOf(group, range);
  const rows = sorted(data?.data ?? [], columns, sort);
  return (
    <Box className={classes.frame}>
      <Table.ScrollContainer minWidth={0}>
        <Table aria-label={`Usage by ${group.label}`} aria-busy={query.isFetching}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <SortHeader key={column.name} column={column} sort={sort} onSort={onSort} />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className={classes.body}>
            {data === undefined && (
              <Table.Tr>
                <Table.Td colSpan={columns.length}>
                  <Skeleton height={120} />
                </Table.Td>
              </Table.Tr>
            )}
            {rows.slice(0, ROWS_MAX).map((row) => (
              <Table.Tr key={group.idOf(row)}>
                {columns.map(({ name, cell, isFigure, from }) => (
                  <Table.Td key={name} ta={isFigure ? "right" : "left"} {...(from ? { visibleFrom: from } : {})}>
                    {cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length > ROWS_MAX && (
        <Text size="sm" c="dimmed" p="md">
          {counted(rows.length - ROWS_MAX, "more is", "more are")} in the exported file.
        </Text>
      )}
    </Box>
  );
}

function columnsOf(group: UsageGroup, range: TimeRangeState): readonly Figure[] {
  const count = (name: keyof UsageRow & string, header: string, from?: "sm" | "md" | "lg"): Figure => ({
    name,
    header,
    isFigure: true,
    isSortable: true,
    ...(from ? { from } : {}),
    amountOf: (row) => Number(row[name] ?? 0),
    cell: (row) => Number(row[name] ?? 0).toLocaleString(),
  });
  const all: readonly Figure[] = [
    {
      name: "name",
      header: group.label.charAt(0).toUpperCase() + group.label.slice(1),
      isSortable: true,
      amountOf: group.nameOf,
      cell: (row) => <Name row={row} group={group} range={range} />,
    },
    count("requests", "Requests"),
    count("failedRequests", "Errors", "md"),
    count("promptTokens", "Tokens in", "sm"),
    count("completionTokens", "Tokens out", "sm"),
    count("cachedTokens", "Cached", "lg"),
    {
      name: "cost",
      header: "Cost",
      isFigure: true,
      isSortable: true,
      amountOf: (row) => row.cost,
      cell: (row) => <Money nano={row.cost} />,
    },
  ];
  // The log is not asked how calls with a tag ended.
  return group.value === "tag" ? all.filter(({ name }) => name !== "failedRequests" && name !== "cachedTokens") : all;
}

function Name({ row, group, range }: { row: UsageRow; group: UsageGroup; range: TimeRangeState }) {
  const filter = group.filterOf(row);
  const name = group.nameOf(row);
  if (filter === null) return name;
  return (
    <AppLink to="/logs" search={{ ...range, ...filter }} size="sm">
      {name}
    </AppLink>
  );
}

function sorted(rows: readonly UsageRow[], columns: readonly Figure[], sort: string): readonly UsageRow[] {
  const column = columns.find(({ name }) => name === sort.replace(/^-/, "")) ?? columns.at(-1);
  if (!column) return rows;
  const direction = sort.startsWith("-") || sort === "" ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [column.amountOf(a), column.amountOf(b)];
    const order = typeof left === "string" ? left.localeCompare(String(right)) : left - Number(right);
    return order * direction;
  });
}
