import { useElementSize } from "@mantine/hooks";
import { useMemo, useState } from "react";
import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import { isNotSetUp, isUntried } from "../../components/use-deployments.ts";
import { BOX, COLUMNS_FROM, layOut, type PlacedGroup } from "./graph-layout.ts";
import { isPattern, type RoutedGroup } from "./routing.ts";
import classes from "./routing-graph.module.css";
import { weightWords } from "./tell-apart.ts";

interface RoutingGraphProps {
  readonly groups: readonly RoutedGroup[];
  readonly onGroup: (name: string) => void;
}

/**
 * Names at the left, what serves them at the right, and arcs between groups that stand in for each other; below each other
 * where there is no room beside.
 */
export function RoutingGraph({ groups, onGroup }: RoutingGraphProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  // Nothing is known of the room before the first look at it.
  const isNarrow = width > 0 && width < COLUMNS_FROM;
  const layout = useMemo(() => layOut(groups, isNarrow), [groups, isNarrow]);
  const [looked, setLooked] = useState<string | null>(null);
  const near = new Set(
    layout.fallbacks.filter(({ from, to }) => from === looked || to === looked).flatMap(({ from, to }) => [from, to]),
  );
  const isDim = (name: string): boolean => looked !== null && looked !== name && !near.has(name);
  return (
    <div className={classes.frame} ref={ref}>
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing with buttons in it, not a part of a form. */}
      <svg
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        style={{ maxWidth: layout.width }}
        className={classes.graph}
        role="group"
        aria-label="Groups with their other names, their deployments and the groups that stand in for them"
      >
        <defs>
          <marker id="routing-arrow" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0 L8 4 L0 8 z" className={classes.arrow} />
          </marker>
        </defs>
        {layout.groups.map((placed) => (
          <GroupLines key={placed.group.name} placed={placed} isDim={isDim(placed.group.name)} />
        ))}
        {layout.fallbacks.map((one) => (
          <g key={one.key} opacity={looked !== null && one.from !== looked && one.to !== looked ? 0.15 : 1}>
            <path d={one.path} className={classes.fallback} data-kind={one.kind} markerEnd="url(#routing-arrow)" />
            {one.nth !== null && (
              <text x={one.labelX} y={one.labelY} className={classes.nth}>
                {one.nth}
              </text>
            )}
          </g>
        ))}
        {layout.groups.map((placed) => (
          <GroupBoxes
            key={placed.group.name}
            placed={placed}
            isDim={isDim(placed.group.name)}
            onLook={setLooked}
            onOpen={() => onGroup(placed.group.name)}
          />
        ))}
      </svg>
    </div>
  );
}

function GroupLines({ placed: { aliases, deployments }, isDim }: { placed: PlacedGroup; isDim: boolean }) {
  const shares = deployments.reduce((sum, { deployment }) => sum + deployment.share, 0);
  return (
    <g opacity={isDim ? 0.2 : 1}>
      {aliases.map((alias) => (
        <path key={alias.name} d={alias.line} className={classes.line} />
      ))}
      {deployments.map((one) => (
        <path
          key={one.deployment.id}
          d={one.line}
          className={classes.line}
          data-state={stateDrawn(one.deployment)}
          strokeWidth={shares > 0 ? 1 + (4 * one.deployment.share) / shares : 1}
        />
      ))}
    </g>
  );
}

interface GroupBoxesProps {
  readonly placed: PlacedGroup;
  readonly isDim: boolean;
  readonly onLook: (name: string | null) => void;
  readonly onOpen: () => void;
}

function GroupBoxes({ placed: { group, x, y, aliases, deployments }, isDim, onLook, onOpen }: GroupBoxesProps) {
  const note = isPattern(group.name) ? "every model that fits" : noteOf(group);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only brings out what the text beside the graph says as well.
    <g opacity={isDim ? 0.25 : 1} onMouseEnter={() => onLook(group.name)} onMouseLeave={() => onLook(null)}>
      {aliases.map((alias) => (
        <Box key={alias.name} x={alias.x} y={alias.y} title={alias.name} note="another name" kind="alias" />
      ))}
      {/* biome-ignore lint/a11y/useSemanticElements: there are no buttons inside of a drawing. */}
      <g
        role="button"
        tabIndex={0}
        className={classes.opens}
        onClick={onOpen}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === " ") onOpen();
        }}
        onFocus={() => onLook(group.name)}
        onBlur={() => onLook(null)}
      >
        <Box x={x} y={y} title={group.name} note={note} kind={isPattern(group.name) ? "pattern" : "group"} />
      </g>
      {deployments.map(({ deployment, line: _, ...box }) => (
        <Box
          key={deployment.id}
          {...box}
          title={`${deployment.provider}/${deployment.model}`}
          note={stateOf(deployment, box.apart)}
          kind="deployment"
          state={stateDrawn(deployment)}
        />
      ))}
    </g>
  );
}

/** Its weight stands above it already, where nothing else tells it from its neighbour. */
function stateOf(deployment: DeploymentView, apart: string | null): string {
  const [weight, state] = [weightWords(deployment.share), stateWords(deployment)];
  return apart?.endsWith(weight) ? state : `${state}, ${weight}`;
}

/** As the list of deployments says it. */
const stateWords = (deployment: DeploymentView): string =>
  isNotSetUp(deployment) ? "not set up" : isUntried(deployment) ? "not tried yet" : deployment.state;

/** What its dot and its line are drawn for: no green dot before a call has shown that it answers. */
const stateDrawn = (deployment: DeploymentView): string =>
  isNotSetUp(deployment) ? "unwell" : isUntried(deployment) ? "untried" : deployment.state;

const noteOf = ({ deployments }: RoutedGroup): string =>
  deployments.length === 0
    ? "nobody serves it"
    : deployments.length === 1
      ? "one deployment"
      : `${deployments.length} deployments`;

interface BoxProps {
  readonly x: number;
  readonly y: number;
  readonly title: string;
  readonly note: string;
  readonly kind: "alias" | "group" | "pattern" | "deployment";
  readonly state?: string;
  readonly height?: number;
  /** A third line, between the two others. */
  readonly apart?: string | null;
}

const CHARS_MAX = 30;
const SMALL_CHARS_MAX = 36;

const Box = ({ x, y, title, note, kind, state, height = BOX.height, apart = null }: BoxProps) => (
  <g transform={`translate(${x} ${y})`} className={classes.box} data-kind={kind}>
    {(title.length > CHARS_MAX || (apart?.length ?? 0) > SMALL_CHARS_MAX) && (
      <title>{[title, apart].filter(Boolean).join(", ")}</title>
    )}
    <rect width={BOX.width} height={height} rx={8} />
    {state && <circle cx={16} cy={height / 2} r={5} className={classes.dot} data-state={state} />}
    <text x={state ? 30 : 12} y={19} className={classes.title}>
      {cut(title, CHARS_MAX)}
    </text>
    {apart !== null && (
      <text x={state ? 30 : 12} y={35} className={classes.apart}>
        {cut(apart, SMALL_CHARS_MAX)}
      </text>
    )}
    <text x={state ? 30 : 12} y={height - 9} className={classes.note}>
      {note}
    </text>
  </g>
);

const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text);
