import { SimpleGrid } from "@mantine/core";
import type { UsageSumsRecord } from "../../../../src/contract/usage-records.ts";
import type { ApiError } from "../../api/api-error.ts";
import { counted } from "../../components/counted.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { formatPercent } from "../../components/format-percent.ts";
import { firstByteNote, timePerCall } from "../../components/latency.ts";
import { Money } from "../../components/money.tsx";
import { StatCard } from "../../components/stat-card.tsx";

interface UsageFiguresProps {
  readonly totals: UsageSumsRecord | undefined;
  readonly error: ApiError | null;
}

/** The whole of the time that is looked at. */
export function UsageFigures({ totals, error }: UsageFiguresProps) {
  if (error && !totals) return <ErrorState error={error} />;
  return (
    <SimpleGrid cols={{ base: 2, md: 5 }} spacing={{ base: "sm", sm: "md" }}>
      <StatCard label="Cost" value={totals && <Money nano={totals.cost} />} />
      <StatCard
        label="Requests"
        value={totals?.requests.toLocaleString()}
        note={totals && `${totals.failedRequests.toLocaleString()} with an error`}
      />
      <StatCard
        label="Tokens"
        value={totals && short(totals.totalTokens)}
        note={totals && `${short(totals.promptTokens)} in, ${short(totals.completionTokens)} out`}
      />
      <StatCard
        label="Out of the cache"
        value={totals && percent(totals.cacheHits, totals.requests)}
        note={totals && counted(totals.cacheHits, "answer")}
      />
      <StatCard label="Time per call" value={totals && timePerCall(totals)} note={totals && firstByteNote(totals)} />
    </SimpleGrid>
  );
}

const short = (count: number): string =>
  count.toLocaleString(undefined, { notation: "compact", maximumFractionDigits: 1 });

const percent = (part: number, whole: number): string => (whole === 0 ? "–" : formatPercent(part / whole));
