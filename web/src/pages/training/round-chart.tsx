import "@mantine/charts/styles.css";
import { LineChart } from "@mantine/charts";

interface RoundChartProps {
  readonly points: readonly { readonly round: number; readonly value: number }[];
  readonly label: string;
  readonly color: string;
  /** Of nothing to all, on an axis that goes no further. */
  readonly isShare: boolean;
}

const SHARES = [0, 0.25, 0.5, 0.75, 1];

/** One figure over the rounds. */
export default function RoundChart({ points, label, color, isShare }: RoundChartProps) {
  return (
    <LineChart
      h={220}
      data={points.map(({ round, value }) => ({ round: String(round), value }))}
      dataKey="round"
      series={[{ name: "value", label, color }]}
      curveType="linear"
      gridAxis="x"
      tickLine="none"
      withDots={points.length <= 60}
      dotProps={{ r: 2 }}
      valueFormatter={(value) => value.toLocaleString(undefined, { maximumFractionDigits: 4 })}
      yAxisProps={{ width: 56, ...(isShare ? { domain: [0, 1], ticks: SHARES } : { domain: ["auto", "auto"] }) }}
      xAxisProps={{ interval: "equidistantPreserveStart", minTickGap: 16 }}
    />
  );
}
