import type { SellerRecord } from "../../contract/purchases.ts";
import type { CsvCell } from "../../lib/csv.ts";

export type Cell = string | number;

export interface PaperTable {
  readonly title: string;
  /** `words` may be long and are wrapped; figures stand on the right, and money has as many decimals in each row. */
  readonly columns: readonly { readonly name: string; readonly kind: "words" | "short" | "figure" | "money" }[];
  readonly rows: readonly (readonly Cell[])[];
  readonly total?: readonly Cell[];
}

/** Whether a column stands on the right. */
export const isFigure = (kind: PaperTable["columns"][number]["kind"]): boolean => kind === "figure" || kind === "money";

/** Something to file away: who sells, a title, facts by name, and tables. */
export interface PaperDocument {
  readonly seller: readonly string[];
  readonly title: string;
  readonly fileName: string;
  /** When what it tells was so. */
  readonly dateMs: number;
  readonly facts: readonly (readonly [string, string])[];
  readonly tables: readonly PaperTable[];
  /** The rows of the spreadsheet, headings first. */
  readonly csv: readonly (readonly CsvCell[])[];
  readonly json: unknown;
}

/** The lines by which people know who sells to them. */
export const sellerLines = (seller: SellerRecord | null): readonly string[] =>
  seller
    ? [
        seller.name,
        ...(seller.address?.split("\n") ?? []),
        ...(seller.taxId === null ? [] : [`Tax ID ${seller.taxId}`]),
      ]
    : [];
