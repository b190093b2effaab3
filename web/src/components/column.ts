import type { ReactNode } from "react";

export interface Column<Row> {
  /** Also what `sort` says where the column can be sorted by. */
  readonly name: string;
  readonly header: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Figures stand at the right. */
  readonly isFigure?: boolean;
  readonly isSortable?: boolean;
  /** Left out on narrower screens than this. */
  readonly from?: "xs" | "sm" | "md" | "lg" | "xl";
  /** A short thing that is never broken: a time, an address, a name that has a form. Others give way. */
  readonly isWhole?: boolean;
  readonly width?: number | string;
}
