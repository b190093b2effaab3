import { Box, Button, Center, Table } from "@mantine/core";
import type { ReactNode } from "react";
import type { Column } from "./column.ts";
import classes from "./data-table.module.css";
import { ErrorState } from "./error-state.tsx";
import { TableRow, WaitingRows } from "./table-rows.tsx";
import type { CursorQuery } from "./use-cursor-query.ts";

interface CursorTableProps<Row> {
  /** What the table is, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly query: CursorQuery<Row>;
  readonly rowKey: (row: Row) => string;
  readonly onRow?: (row: Row) => void;
  readonly empty: ReactNode;
}

const WAITING = 5;

/** A list that the server hands out from one record to the next, the newest first. */
export function CursorTable<Row>({ label, columns, query, rowKey, onRow, empty }: CursorTableProps<Row>) {
  const { rows, error, isPending } = query;
  if (error && !rows) return <ErrorState error={error} onRetry={query.retry} />;
  if (rows?.length === 0) return <Box className={classes.frame}>{empty}</Box>;
  return (
    <Box className={classes.frame}>
      <Table.ScrollContainer minWidth={0}>
        <Table aria-label={label} aria-busy={isPending}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ name, header, isFigure, from, width }) => (
                <Table.Th
                  key={name}
                  ta={isFigure ? "right" : "left"}
                  {...(width === undefined ? {} : { w: width })}
                  {...(from ? { visibleFrom: from } : {})}
                >
                  {header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody className={classes.body}>
            {rows ? (
              rows.map((row) => <TableRow key={rowKey(row)} row={row} columns={columns} onRow={onRow} />)
            ) : (
              <WaitingRows columns={columns} count={WAITING} />
            )}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {query.hasMore && (
        <Center p="sm" className={classes.footer}>
          <Button variant="subtle" loading={query.isReadingMore} onClick={query.readMore}>
            Show more
          </Button>
        </Center>
      )}
    </Box>
  );
}
