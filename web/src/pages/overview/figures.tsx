import { SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import { AppLink } from "../../components/app-link.tsx";
import { counted } from "../../components/counted.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { formatPercent } from "../../components/format-percent.ts";
import { firstByteNote, timePerCall } from "../../components/latency.ts";
import { Money } from "../../components/money.tsx";
import { StatCard } from "../../components/stat-card.tsx";
import { dayOf, localDay, useUsage } from "../../components/usage-report.ts";
import { useMaySee, useOrganization, useOrganizationKey } from "../../session/session.ts";

interface Balance {
  readonly balance: number;
}

const REFRESH_MS = 30_000;

/** What there is, and what today and this month took of it. Days are those of the viewer. */
export function Figures({ teamId }: { teamId: string | undefined }) {
  const key = useOrganizationKey();
  const balance = useQuery({
    queryKey: [...key, "balance"],
    queryFn: ({ signal }) => apiGet<Balance>("/api/balance", {}, signal),
    refetchInterval: REFRESH_MS,
  });
  // Others see what their own teams spend: at that pace, the organization's balance would seem to last for longer.
  const isWhole = useMaySee()("organization") && teamId === undefined;
  const isInvoiced = useOrganization()?.billing === "invoiced";
  const now = new Date();
  const today = useUsage({ startDate: localDay(), teamId }, { refetchMs: REFRESH_MS });
  const yesterday = useUsage({ startDate: localDay(-1), endDate: localDay(-1), teamId });
  const month = useUsage(
    { startDate: dayOf(new Date(now.getFullYear(), now.getMonth(), 1)), teamId },
    { refetchMs: REFRESH_MS },
  );
  const failed = [balance, today, month].find(({ error, data }) => error && !data);
  if (failed?.error) return <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />;
  const day = today.data?.totals;
  const before = yesterday.data?.totals;
  return (
    <SimpleGrid cols={{ base: 2, md: 3, xl: 6 }} spacing={{ base: "sm", sm: "md" }}>
      <StatCard
        label="Balance"
        value={balance.data && <Money nano={balance.data.balance} />}
        note={
          isInvoiced ? (
            "calls are invoiced"
          ) : balance.data && balance.data.balance <= 0 ? (
            <NothingLeft isBelow={balance.data.balance < 0} />
          ) : (
            isWhole && balance.data && month.data && daysLeft(balance.data.balance, month.data.totals.cost, now)
          )
        }
      />
      <StatCard
        label="Spent today"
        value={day && <Money nano={day.cost} />}
        note={before && <Before value={<Money nano={before.cost} />} />}
      />
      <StatCard
        label="Spent this month"
        value={month.data && <Money nano={month.data.totals.cost} />}
        note={month.data && counted(month.data.totals.requests, "request")}
      />
      <StatCard
        label="Requests today"
        value={day?.requests.toLocaleString()}
        note={before && <Before value={before.requests.toLocaleString()} />}
      />
      <StatCard
        label="Errors today"
        value={day && <Errors failed={day.failedRequests} requests={day.requests} />}
        note={
          day &&
          (day.requests === 0 ? "no calls yet" : `${formatPercent(day.failedRequests / day.requests)} of the calls`)
        }
      />
      <StatCard label="Time per call today" value={day && timePerCall(day)} note={day && firstByteNote(day)} />
    </SimpleGrid>
  );
}

/** Calls that cost something are refused: what to do about it stands beside it. */
function NothingLeft({ isBelow }: { isBelow: boolean }) {
  const mayBuy = useMaySee()("organization");
  return (
    <>
      {isBelow ? "calls are refused" : "no credit"}:{" "}
      {mayBuy ? <AppLink to="/billing">buy credits</AppLink> : "ask an owner for some"}
    </>
  );
}

const Before = ({ value }: { value: React.ReactNode }) => <>yesterday {value}</>;

/** Too early in the month, a pace says nothing. */
const PACE_DAYS = 3;

function daysLeft(balance: number, spent: number, now: Date): string | null {
  if (spent <= 0 || balance <= 0 || now.getDate() < PACE_DAYS) return null;
  const days = Math.floor(balance / (spent / now.getDate()));
  return days > 365
    ? "more than a year at this month's pace"
    : `about ${days} ${days === 1 ? "day" : "days"} at this month's pace`;
}

const Errors = ({ failed, requests }: { failed: number; requests: number }) => (
  <Text span inherit c={requests > 0 && failed / requests > 0.05 ? "var(--mantine-color-error)" : ""}>
    {failed.toLocaleString()}
  </Text>
);
