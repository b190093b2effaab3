import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import type { Fallback, FallbackKind, RoutedGroup } from "./routing.ts";

/** Sizes in units of the drawing. */
export const BOX = { width: 236, height: 44, gap: 12, groupGap: 22 } as const;
const COLUMNS = { alias: 12, group: 340, deployment: 668 } as const;
export const GROUPS_AT: number = COLUMNS.group;
/** How far arcs reach out at the left of the groups. */
export const ARC_ROOM = 88;
export const WIDTH = COLUMNS.deployment + BOX.width + 12;
const TOP = 12;

export interface PlacedBox {
  readonly x: number;
  readonly y: number;
}
export interface PlacedGroup extends PlacedBox {
  readonly group: RoutedGroup;
  readonly aliases: readonly (PlacedBox & { readonly name: string })[];
  readonly deployments: readonly (PlacedBox & { readonly deployment: DeploymentView })[];
}
export interface PlacedFallback {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly kind: FallbackKind;
  readonly path: string;
  /** Which try it is, where there are several. */
  readonly nth: number | null;
  readonly labelX: number;
  readonly labelY: number;
}
export interface Layout {
  readonly height: number;
  readonly groups: readonly PlacedGroup[];
  readonly fallbacks: readonly PlacedFallback[];
}

/** Three columns: other names, groups, deployments. Who stands in for whom is an arc at the left of the groups. */
export function layOut(groups: readonly RoutedGroup[]): Layout {
  const step = BOX.height + BOX.gap;
  let y = TOP;
  const placed = groups.map((group): PlacedGroup => {
    const rows = Math.max(1, group.deployments.length, group.aliases.length);
    const height = rows * step - BOX.gap;
    const middle = y + height / 2;
    const column = (count: number, at: number) =>
      Array.from({ length: count }, (_, index) => ({ x: at, y: middle - (count * step - BOX.gap) / 2 + index * step }));
    const aliases = column(group.aliases.length, COLUMNS.alias).map((box, at) => ({
      ...box,
      name: group.aliases[at] ?? "",
    }));
    const deployments = column(group.deployments.length, COLUMNS.deployment).map((box, at) => ({
      ...box,
      deployment: group.deployments[at] as DeploymentView,
    }));
    y += height + BOX.groupGap;
    return { group, x: COLUMNS.group, y: middle - BOX.height / 2, aliases, deployments };
  });
  return { height: Math.max(y, TOP + BOX.height), groups: placed, fallbacks: arcsOf(placed) };
}

function arcsOf(placed: readonly PlacedGroup[]): readonly PlacedFallback[] {
  const byName = new Map(placed.map((one) => [one.group.name, one]));
  return placed.flatMap((from) =>
    from.group.fallbacks.flatMap((fallback, index) => {
      const to = byName.get(fallback.group);
      return to && to !== from ? [arc(from, to, fallback, index)] : [];
    }),
  );
}

function arc(from: PlacedGroup, to: PlacedGroup, { kind, group }: Fallback, index: number): PlacedFallback {
  // Arcs of one group leave and arrive a little apart, and the longer ones lie further out.
  const start = from.y + BOX.height / 2 + 8 - index * 6;
  const end = to.y + BOX.height / 2 - 8 + index * 4;
  const bulge = Math.min(76, 28 + Math.abs(end - start) / 6 + index * 8);
  const x = COLUMNS.group;
  return {
    key: `${from.group.name}>${kind}>${group}`,
    from: from.group.name,
    to: group,
    kind,
    nth: from.group.fallbacks.length > 1 ? index + 1 : null,
    path: `M ${x} ${start} C ${x - bulge} ${start}, ${x - bulge} ${end}, ${x - 3} ${end}`,
    labelX: x - bulge * 0.75 - 4,
    labelY: (start + end) / 2,
  };
}

/** A line that leaves and arrives level. */
export function link(fromX: number, fromY: number, toX: number, toY: number): string {
  const middle = (fromX + toX) / 2;
  return `M ${fromX} ${fromY} C ${middle} ${fromY}, ${middle} ${toY}, ${toX} ${toY}`;
}
