import { Box, Table } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ApiError } from "../api/api-error.ts";
import type { Paged } from "../api/paged.ts";
import type { Column } from "./column.ts";
import classes from "./data-table.module.css";
import { ErrorState } from "./error-state.tsx";
import { SortHeader } from "./sort-header.tsx";
import { TableFooter } from "./table-footer.tsx";
import { TableRow, WaitingRows } from "./table-rows.tsx";
import type { TableState } from "./use-table.ts";

interface DataTableProps<Row> {
  /** What the table is, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly query: UseQueryResult<Paged<Row>, ApiError>;
  readonly table: { readonly state: TableState; readonly set: (changes: Partial<TableState>) => void };
  readonly rowKey: (row: Row) => string;
  readonly onRow?: (row: Row) => void;
  /** Where not every row opens something. */
  readonly opens?: (row: Row) => boolean;
  /** What stands in place of no rows at all. */
  readonly empty: ReactNode;
}

/** A list that the server pages, sorts and filters: a page of it is all that is ever in the browser. */
export function DataTable<Row>({ label, columns, query, table, rowKey, onRow, opens, empty }: DataTableProps<Row>) {
  const { data, error, isPending, isPlaceholderData } = query;
  if (error && !data) return <ErrorState error={error} onRetry={() => void query.refetch()} />;
  if (data && data.meta.total === 0) return <Box className={classes.frame}>{empty}</Box>;
  return (
    <Box className={classes.frame}>
      <Table.ScrollContainer minWidth={0}>
        <Table
          aria-label={label}
          aria-busy={isPending || isPlaceholderData}
          data-stale={isPlaceholderData || undefined}
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <SortHeader
                  key={column.name}
                  column={column}
                  sort={table.state.sort}
                  onSort={(sort) => table.set({ sort })}
                />
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className={classes.body}>
            {data ? (
              data.data.map((row) => (
                <TableRow
                  key={rowKey(row)}
                  row={row}
                  columns={columns}
                  onRow={opens === undefined || opens(row) ? onRow : undefined}
                />
              ))
            ) : (
              <WaitingRows columns={columns} count={Math.min(8, Number(table.state.size))} />
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {data && (
        <Box className={classes.footer}>
          <TableFooter meta={data.meta} size={table.state.size} set={table.set} />
        </Box>
      )}
    </Box>
  );
}
