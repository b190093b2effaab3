import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import type { Fallback, FallbackKind, RoutedGroup } from "./routing.ts";
import { tellApart } from "./tell-apart.ts";

/** Sizes in units of the drawing. */
export const BOX = { width: 236, height: 44, gap: 12, groupGap: 22 } as const;
/** A third line tells a deployment from another one of the same model. */
const LINE = 15;
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
  readonly deployments: readonly PlacedDeployment[];
}
export interface PlacedDeployment extends PlacedBox {
  readonly deployment: DeploymentView;
  readonly height: number;
  /** What tells it from another one of the same model in its group; null where there is none. */
  readonly apart: string | null;
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
  let y = TOP;
  const placed = groups.map((group): PlacedGroup => {
    const words = tellApart(group.deployments);
    const told = group.deployments.map((deployment) => {
      const apart = words.get(deployment.id) ?? null;
      return { deployment, apart, height: BOX.height + (apart === null ? 0 : LINE) };
    });
    const named = group.aliases.map((name) => ({ name, height: BOX.height }));
    const height = Math.max(BOX.height, heightOf(named), heightOf(told));
    const middle = y + height / 2;
    const aliases = column(named, COLUMNS.alias, middle);
    const deployments = column(told, COLUMNS.deployment, middle);
    y += height + BOX.groupGap;
    return { group, x: COLUMNS.group, y: middle - BOX.height / 2, aliases, deployments };
  });
  return { height: Math.max(y, TOP + BOX.height), groups: placed, fallbacks: arcsOf(placed) };
}

const heightOf = (boxes: readonly { readonly height: number }[]): number =>
  boxes.reduce((sum, { height }) => sum + height + BOX.gap, -BOX.gap);

/** Boxes below each other, around the middle. */
function column<T extends { readonly height: number }>(boxes: readonly T[], x: number, middle: number) {
  let y = middle - heightOf(boxes) / 2;
  return boxes.map((box) => {
    const placed = { ...box, x, y };
    y += box.height + BOX.gap;
    return placed;
  });
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
