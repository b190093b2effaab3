import Type from "typebox";

/** By what a list goes, and which way. */
export interface Sorting<Name extends string> {
  readonly by: Name;
  readonly direction: "asc" | "desc";
}

interface SortQuery<Asked extends string> {
  readonly sort?: Asked;
  readonly order?: "asc" | "desc";
}

type WithoutDash<Asked extends string> = Asked extends `-${infer Name}` ? Name : Asked;

/** The part of a list's query that says by what it goes; `unlessTold` is said to readers. */
export const sortQuery = <const Name extends string>(names: readonly Name[], unlessTold: string) => ({
  sort: Type.Optional(
    Type.Enum(
      names.flatMap((name): (Name | `-${Name}`)[] => [name, `-${name}`]),
      { description: `With a dash in front from the largest down; ${unlessTold} unless told. No value comes last.` },
    ),
  ),
  order: Type.Optional(Type.Enum(["asc", "desc"], { description: "`desc` is the same as a dash before `sort`." })),
});

/** What a query asks for; without `sort`, `order` turns the list's own order. */
export function sortingOf<Asked extends string, Own extends string>(
  { sort, order }: SortQuery<Asked>,
  unlessTold: Sorting<Own>,
): Sorting<WithoutDash<Asked> | Own> {
  if (sort === undefined) return { by: unlessTold.by, direction: order ?? unlessTold.direction };
  const isDown = sort.startsWith("-") || order === "desc";
  return { by: sort.replace(/^-/, "") as WithoutDash<Asked>, direction: isDown ? "desc" : "asc" };
}

/** Of one language, whatever the machine speaks. */
const COLLATOR = new Intl.Collator("en");

/**
 * A list that is short enough to be held whole, by a field of what `of` gives of each row. What has no value comes last,
 * whichever way it goes; ids break ties.
 */
export function sortRows<Row, Name extends string>(
  rows: readonly Row[],
  { by, direction }: Sorting<Name>,
  of: (row: Row) => { readonly id: string | number } & Readonly<Record<Name, string | number | null>>,
): readonly Row[] {
  const down = direction === "desc" ? -1 : 1;
  return rows.toSorted((left, right) => {
    const [a, b] = [of(left), of(right)];
    const [x, y] = [a[by], b[by]];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || down * compare(a.id, b.id);
    return down * (compare(x, y) || compare(a.id, b.id));
  });
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : COLLATOR.compare(String(a), String(b));
