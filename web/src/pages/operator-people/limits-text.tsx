import { Text } from "@mantine/core";
import { eachWindow } from "../../components/budget-windows.ts";
import { Money } from "../../components/money.tsx";
import type { Limits } from "./limits.ts";

/** Limits in one line. */
export function LimitsText({ limits }: { limits: Limits }) {
  const { budget, rpmLimit, tpmLimit, parallelLimit } = limits;
  const rates = [
    rpmLimit === null ? null : `${rpmLimit.toLocaleString()} requests a minute`,
    tpmLimit === null ? null : `${tpmLimit.toLocaleString()} tokens a minute`,
    parallelLimit === null ? null : `${parallelLimit.toLocaleString()} at one time`,
  ].filter((text) => text !== null);
  if (budget === null && rates.length === 0) {
    return (
      <Text span size="sm" c="dimmed">
        none
      </Text>
    );
  }
  return (
    <Text span size="sm">
      {budget && (
        <>
          <Money nano={budget.limit} /> {eachWindow(budget.window)}
        </>
      )}
      {budget && rates.length > 0 && ", "}
      {rates.join(", ")}
    </Text>
  );
}
