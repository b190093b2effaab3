import { Skeleton, Table } from "@mantine/core";
import type { Column } from "./column.ts";
import classes from "./data-table.module.css";

interface TableRowProps<Row> {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly onRow: ((row: Row) => void) | undefined;
}

/** A row of a table; one that opens something is reached by the keyboard too. */
export function TableRow<Row>({ row, columns, onRow }: TableRowProps<Row>) {
  const open = onRow && {
    onClick: () => onRow(row),
    onKeyDown: (event: React.KeyboardEvent) => {
      if (event.key === "Enter" && event.target === event.currentTarget) onRow(row);
    },
    tabIndex: 0,
    className: classes.opens,
  };
  return (
    <Table.Tr {...open}>
      {columns.map(({ name, cell, isFigure, isWhole, from }) => (
        <Table.Td
          key={name}
          ta={isFigure ? "right" : "left"}
          {...(isWhole ? { className: classes.whole } : isFigure ? {} : { className: "wraps" })}
          {...(from ? { visibleFrom: from } : {})}
        >
          {cell(row)}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

/** As high as what they stand for. */
export function WaitingRows<Row>({ columns, count }: { columns: readonly Column<Row>[]; count: number }) {
  return Array.from({ length: count }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
    <Table.Tr key={index}>
      {columns.map(({ name, from }) => (
        <Table.Td key={name} {...(from ? { visibleFrom: from } : {})}>
          <Skeleton height={14} my={4} width="70%" />
        </Table.Td>
      ))}
    </Table.Tr>
  ));
}
