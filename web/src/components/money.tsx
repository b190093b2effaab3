import { Text, type TextProps, Tooltip } from "@mantine/core";
import { exactUsd, type NanoUsd, shortUsd } from "./format-usd.ts";

interface MoneyProps extends TextProps {
  /** In nano-USD. */
  readonly nano: NanoUsd | null;
  /** All decimals at once, where the amount itself is what the page is about. */
  readonly exact?: boolean;
}

/** An amount, rounded for reading; the exact one on hover. */
export function Money({ nano, exact = false, ...text }: MoneyProps) {
  if (nano === null) {
    return (
      <Text span inherit c="dimmed" {...text}>
        not known
      </Text>
    );
  }
  const whole = exactUsd(nano);
  const shown = exact ? whole : shortUsd(nano);
  const amount = (
    <Text span inherit className="figures" style={{ whiteSpace: "nowrap" }} {...text}>
      {shown}
    </Text>
  );
  return shown === whole ? amount : <Tooltip label={whole}>{amount}</Tooltip>;
}
