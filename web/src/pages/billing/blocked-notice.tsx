import { Alert } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { Money } from "../../components/money.tsx";
import { useQuota } from "./use-billing.ts";

/** Why calls are refused, and what brings them back. */
export function BlockedNotice({ mayBuy }: { mayBuy: boolean }) {
  const { data } = useQuota();
  if (data?.status !== "exceeded") return null;
  const teams = data.blockedTeams === 1 ? "One team is" : `${data.blockedTeams} teams are`;
  return (
    <Alert color="red" icon={<IconLock size={18} />} title={`${teams} blocked`} role="status">
      The balance is below zero, so calls are refused. <Money nano={-data.balance} exact fw={600} /> or more brings them
      back at once. {mayBuy ? "Buy credits below." : "Ask an owner or admin of the organization to buy credits."}
    </Alert>
  );
}
