import { Text } from "@mantine/core";
import type { TeamMemberRecord, TeamRecord } from "../../../../src/contract/organizations.ts";
import { Money } from "../../components/money.tsx";

const WORDS = { hour: "an hour", day: "a day", week: "a week", month: "a month", total: "in all" } as const;
type Limited = Pick<TeamRecord | TeamMemberRecord, "budget" | "rpmLimit" | "tpmLimit">;

/** Limits in a line; "none" where there are none. */
export function LimitsText({ of: { budget, rpmLimit, tpmLimit } }: { of: Limited }) {
  if (budget == null && rpmLimit == null && tpmLimit == null) {
    return (
      <Text span inherit c="dimmed">
        none
      </Text>
    );
  }
  const rates = [
    ...(rpmLimit == null ? [] : [`${rpmLimit.toLocaleString()} calls/min`]),
    ...(tpmLimit == null ? [] : [`${tpmLimit.toLocaleString()} tokens/min`]),
  ];
  return (
    <>
      {budget != null && (
        <>
          <Money nano={budget.limit} exact /> {WORDS[budget.window]}
          {rates.length > 0 && ", "}
        </>
      )}
      {rates.join(", ")}
    </>
  );
}
