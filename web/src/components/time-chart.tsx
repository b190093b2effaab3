import "@mantine/charts/styles.css";
import { AreaChart, BarChart, LineChart } from "@mantine/charts";
import { formatTick } from "./format-time.ts";

/** One step of time: when it begins, and a number for each series. */
export type TimePoint = { readonly at: string } & Readonly<Record<string, number | string>>;

export interface TimeChartProps {
  readonly points: readonly TimePoint[];
  readonly series: readonly { readonly name: string; readonly label?: string; readonly color?: string }[];
  readonly step: "hour" | "day";
  readonly kind?: "bars" | "lines" | "areas";
  /** How a value is written: money, counts, milliseconds. */
  readonly format?: (value: number) => string;
  readonly height?: number;
}

/** Colours that can be told apart, also by who sees few of them, on both grounds. */
const COLORS = [
  "pine.6",
  "orange.5",
  "indigo.5",
  "grape.5",
  "yellow.6",
  "cyan.5",
  "red.5",
  "lime.6",
  "pink.5",
  "gray.5",
];

const LABEL_MAX = 32;
const LABEL_END = 10;

/** The legend has one line for each name: of a long one, its beginning and its end tell it from others. */
const shortened = (label: string): string =>
  label.length <= LABEL_MAX ? label : `${label.slice(0, LABEL_MAX - LABEL_END)}…${label.slice(-LABEL_END)}`;

/** Over time, in the viewer's zone. */
export default function TimeChart(props: TimeChartProps) {
  const { points, series, step, kind = "bars", format = (value) => value.toLocaleString(), height = 260 } = props;
  const shared = {
    h: height,
    data: points.map((point) => ({ ...point, tick: formatTick(point.at, step) })),
    dataKey: "tick",
    series: series.map(({ name, label, color }, index) => ({
      name,
      label: shortened(label ?? name),
      color: color ?? COLORS[index % COLORS.length] ?? "gray.5",
    })),
    valueFormatter: format,
    withLegend: series.length > 1,
    gridAxis: "x",
    tickLine: "none",
    xAxisProps: { interval: "equidistantPreserveStart", minTickGap: 16 },
    // Small amounts are long: the axis is as wide as they are, and their distance from it is a part of that.
    yAxisProps: {
      allowDecimals: false,
      width: "auto",
      tickMargin: 10,
      tick: { fontSize: 12, fill: "currentColor" },
    },
  } as const;
  // A step that stands alone is a dot without a line, and must not be cut by the edge.
  const padded = { ...shared.xAxisProps, padding: { left: 8, right: 8 } };
  if (kind === "lines")
    return <LineChart {...shared} xAxisProps={padded} curveType="monotone" dotProps={{ r: 3, strokeWidth: 1 }} />;
  if (kind === "areas") return <AreaChart {...shared} type="stacked" curveType="monotone" withDots={false} />;
  return <BarChart {...shared} type="stacked" />;
}
