import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import type { Fallback, FallbackKind, RoutedGroup } from "./routing.ts";
import { tellApart } from "./tell-apart.ts";

/** Sizes in units of the drawing. */
export const BOX = { width: 236, height: 44, gap: 12, groupGap: 22 } as const;
/** A third line tells a deployment from another one of the same model. */
const LINE = 15;
const TOP = 12;

/** Where things stand, and how far arcs may reach out at the left of the groups. */
interface Plan {
  readonly alias: number;
  readonly group: number;
  readonly deployment: number;
  readonly bulgeMax: number;
}
const BESIDE: Plan = { alias: 12, group: 340, deployment: 668, bulgeMax: 76 };
/** Where there is no room for columns: other names above their group, what serves it below, both set in a little. */
const BELOW: Plan = { alias: 76, group: 52, deployment: 76, bulgeMax: 50 };
/** A line down the side of a group runs here, from the group's left. */
const RAIL = 12;

/** The least width, in pixels, in which the columns can be read. */
export const COLUMNS_FROM = 680;

export interface PlacedBox {
  readonly x: number;
  readonly y: number;
}
/** A box with the line that joins it to its group. */
interface JoinedBox extends PlacedBox {
  readonly line: string;
}
export interface PlacedGroup extends PlacedBox {
  readonly group: RoutedGroup;
  readonly aliases: readonly (JoinedBox & { readonly name: string })[];
  readonly deployments: readonly PlacedDeployment[];
}
export interface PlacedDeployment extends JoinedBox {
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
  readonly width: number;
  readonly height: number;
  readonly groups: readonly PlacedGroup[];
  readonly fallbacks: readonly PlacedFallback[];
}

/** Other names, groups and deployments. Who stands in for whom is an arc at the left of the groups. */
export function layOut(groups: readonly RoutedGroup[], isNarrow: boolean): Layout {
  const plan = isNarrow ? BELOW : BESIDE;
  let y = TOP;
  const placed = groups.map((group): PlacedGroup => {
    const words = tellApart(group.deployments);
    const told = group.deployments.map((deployment) => {
      const apart = words.get(deployment.id) ?? null;
      return { deployment, apart, height: BOX.height + (apart === null ? 0 : LINE) };
    });
    const named = group.aliases.map((name) => ({ name, height: BOX.height }));
    const { height, ...boxes } = isNarrow ? below(group, named, told, y) : beside(group, named, told, y);
    y += height + BOX.groupGap;
    return boxes;
  });
  const width = plan.deployment + BOX.width + TOP;
  return { width, height: Math.max(y, TOP + BOX.height), groups: placed, fallbacks: arcsOf(placed, plan) };
}

type Named = { readonly name: string; readonly height: number };
type Told = Pick<PlacedDeployment, "deployment" | "apart" | "height">;
type Tall = PlacedGroup & { readonly height: number };

/** In three columns, around one middle. */
function beside(group: RoutedGroup, named: readonly Named[], told: readonly Told[], top: number): Tall {
  const height = Math.max(BOX.height, heightOf(named), heightOf(told));
  const middle = top + height / 2;
  const x = BESIDE.group;
  const aliases = column(named, BESIDE.alias, middle - heightOf(named) / 2).map((box) => ({
    ...box,
    line: link(box.x + BOX.width, box.y + BOX.height / 2, x, middle),
  }));
  const deployments = column(told, BESIDE.deployment, middle - heightOf(told) / 2).map((box) => ({
    ...box,
    line: link(x + BOX.width, middle, box.x, box.y + box.height / 2),
  }));
  return { group, x, y: middle - BOX.height / 2, aliases, deployments, height };
}

/** In one column, with a line down the side. */
function below(group: RoutedGroup, named: readonly Named[], told: readonly Told[], top: number): Tall {
  const x = BELOW.group;
  const y = top + roomOf(named);
  const under = y + BOX.height;
  const rail = x + RAIL;
  const aliases = column(named, BELOW.alias, top).map((box) => ({
    ...box,
    line: `M ${box.x} ${box.y + BOX.height / 2} H ${rail} V ${y}`,
  }));
  const deployments = column(told, BELOW.deployment, under + BOX.gap).map((box) => ({
    ...box,
    line: `M ${rail} ${under} V ${box.y + box.height / 2} H ${box.x}`,
  }));
  return { group, x, y, aliases, deployments, height: roomOf(named) + BOX.height + roomOf(told) };
}

/** Of boxes and the gap between them and their group. */
const roomOf = (boxes: readonly { readonly height: number }[]): number => heightOf(boxes) + BOX.gap;

const heightOf = (boxes: readonly { readonly height: number }[]): number =>
  boxes.reduce((sum, { height }) => sum + height + BOX.gap, -BOX.gap);

/** Boxes below each other. */
function column<T extends { readonly height: number }>(boxes: readonly T[], x: number, top: number) {
  let y = top;
  return boxes.map((box) => {
    const placed = { ...box, x, y };
    y += box.height + BOX.gap;
    return placed;
  });
}

function arcsOf(placed: readonly PlacedGroup[], plan: Plan): readonly PlacedFallback[] {
  const byName = new Map(placed.map((one) => [one.group.name, one]));
  return placed.flatMap((from) =>
    from.group.fallbacks.flatMap((fallback, index) => {
      const to = byName.get(fallback.group);
      return to && to !== from ? [arc(from, to, fallback, index, plan)] : [];
    }),
  );
}

function arc(
  from: PlacedGroup,
  to: PlacedGroup,
  { kind, group }: Fallback,
  index: number,
  { group: x, bulgeMax }: Plan,
): PlacedFallback {
  // Arcs of one group leave and arrive a little apart, and the longer ones lie further out.
  const start = from.y + BOX.height / 2 + 8 - index * 6;
  const end = to.y + BOX.height / 2 - 8 + index * 4;
  const bulge = Math.min(bulgeMax, 28 + Math.abs(end - start) / 6 + index * 8);
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
function link(fromX: number, fromY: number, toX: number, toY: number): string {
  const middle = (fromX + toX) / 2;
  return `M ${fromX} ${fromY} C ${middle} ${fromY}, ${middle} ${toY}, ${toX} ${toY}`;
}
