import { Table, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronUp, IconSelector } from "@tabler/icons-react";
import type { Column } from "./column.ts";
import classes from "./data-table.module.css";

interface SortHeaderProps<Row> {
  readonly column: Column<Row>;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
}

/** A column's heading; a button where the server can sort by it: up, down, and as it was. */
export function SortHeader<Row>({ column, sort, onSort }: SortHeaderProps<Row>) {
  const { name, header, isFigure, isSortable, from, width } = column;
  const common = {
    ta: isFigure ? ("right" as const) : ("left" as const),
    ...(from ? { visibleFrom: from } : {}),
    ...(width === undefined ? {} : { w: width }),
  };
  if (!isSortable) return <Table.Th {...common}>{header}</Table.Th>;
  const [isUp, isDown] = [sort === name, sort === `-${name}`];
  const Icon = isUp ? IconChevronUp : isDown ? IconChevronDown : IconSelector;
  return (
    <Table.Th {...common} aria-sort={isUp ? "ascending" : isDown ? "descending" : "none"}>
      <UnstyledButton className={classes.sort} onClick={() => onSort(isUp ? `-${name}` : isDown ? "" : name)}>
        {header} <Icon size={14} stroke={1.6} />
      </UnstyledButton>
    </Table.Th>
  );
}
