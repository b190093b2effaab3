import "@mantine/charts/styles.css";
import { LineChart } from "@mantine/charts";

interface RoundChartProps {
  readonly points: readonly { readonly round: number; readonly value: number }[];
  readonly label: string;
  readonly color: string;
}

/** One figure over the rounds. */
export default function RoundChart({ points, label, color }: RoundChartProps) {
  // A share of one has its top there.
  const isShare = points.every(({ value }) => value >= 0 && value <= 1) && points.some(({ value }) => value > 0.5);
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
      yAxisProps={{ domain: ["auto", isShare ? 1 : "auto"], width: 56 }}
      xAxisProps={{ interval: "equidistantPreserveStart", minTickGap: 16 }}
    />
  );
}
