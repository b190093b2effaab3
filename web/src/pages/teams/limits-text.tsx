import { Text } from "@mantine/core";
import type { TeamMemberRecord, TeamRecord } from "../../../../src/contract/organizations.ts";
import { eachWindow } from "../../components/budget-windows.ts";
import { Money } from "../../components/money.tsx";

/** Members have no limit of calls at one time. */
type Limited = Pick<TeamMemberRecord, "budget" | "rpmLimit" | "tpmLimit"> & Partial<Pick<TeamRecord, "parallelLimit">>;

/** Limits in a line; "none" where there are none. */
export function LimitsText({ of: { budget, rpmLimit, tpmLimit, parallelLimit } }: { of: Limited }) {
  if ([budget, rpmLimit, tpmLimit, parallelLimit].every((limit) => limit == null)) {
    return (
      <Text span inherit c="dimmed">
        none
      </Text>
    );
  }
  const rates = [
    ...(rpmLimit == null ? [] : [`${rpmLimit.toLocaleString()} requests/min`]),
    ...(tpmLimit == null ? [] : [`${tpmLimit.toLocaleString()} tokens/min`]),
    ...(parallelLimit == null ? [] : [`${parallelLimit.toLocaleString()} at one time`]),
  ];
  return (
    <>
      {budget != null && (
        <>
          <Money nano={budget.limit} exact /> {eachWindow(budget.window)}
          {rates.length > 0 && ", "}
        </>
      )}
      {rates.join(", ")}
    </>
  );
}
