import Type, { type Static, type TSchema } from "typebox";

const PAGE_SIZE = 20;
const PAGE_SIZE_MAX = 100;
/** Far past any list, and small enough that the offset of the page stays an exact integer. */
const PAGE_MAX = 1_000_000_000;

const Size = Type.Integer({ minimum: 1, maximum: PAGE_SIZE_MAX });

/** The query of a list; one with more parameters spreads `PageQuery.properties`. */
export const PageQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: "Counts from 1; 1 unless told." })),
  pageSize: Type.Optional({ ...Size, description: `1 to ${PAGE_SIZE_MAX}; ${PAGE_SIZE} unless told.` }),
  page_size: Type.Optional({ ...Size, description: "The same as `pageSize`." }),
});
export type PageQuery = Static<typeof PageQuery>;

export interface PageNumbers {
  readonly page: number;
  readonly pageSize: number;
}

/** The page that a query asks for, with the defaults where it says nothing. */
export const pageOf = ({ page, pageSize, page_size }: PageQuery): PageNumbers => ({
  page: page ?? 1,
  pageSize: pageSize ?? page_size ?? PAGE_SIZE,
});

/** The envelope of every list; `rows` are those of the page, `total` counts all pages. */
export const paged = <T>(rows: readonly T[], { page, pageSize }: PageNumbers, total: number) => ({
  data: rows,
  meta: { page, pageSize, total, totalPages: Math.ceil(total / pageSize) },
});

/** The rows of one page of a list that is short enough to be held whole. */
export const cutPage = <T>(all: readonly T[], { page, pageSize }: PageNumbers): readonly T[] =>
  all.slice((page - 1) * pageSize, page * pageSize);

/** The schema of what `paged` gives. */
export const PagedList = <S extends TSchema>(row: S) =>
  Type.Object({
    data: Type.Array(row),
    meta: Type.Object({
      page: Type.Integer(),
      pageSize: Type.Integer(),
      total: Type.Integer(),
      totalPages: Type.Integer(),
    }),
  });
