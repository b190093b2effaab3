import { Progress } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { OrganizationStorage } from "../../../../src/contract/files/organization-storage.ts";
import { apiGet } from "../../api/client.ts";
import { ErrorState } from "../error-state.tsx";
import { StatCard } from "../stat-card.tsx";

const MIB = 1024 * 1024;
const inMib = (bytes: number): string => (bytes / MIB).toLocaleString("en", { maximumFractionDigits: 1 });

interface StorageCardProps {
  /** The operation that returns the storage of the organization. */
  readonly path: string;
  readonly queryKey: readonly unknown[];
}

/** Shows how much of its storage quota an organization uses. */
export function StorageCard({ path, queryKey }: StorageCardProps) {
  const query = useQuery({ queryKey, queryFn: ({ signal }) => apiGet<OrganizationStorage>(path, {}, signal) });
  if (query.isError) return <ErrorState error={query.error} onRetry={query.refetch} />;
  const storage = query.data;
  const percent = storage && (100 * storage.usedBytes) / Math.max(1, storage.quotaBytes);
  return (
    <StatCard
      label="Storage"
      value={storage && `${inMib(storage.usedBytes)} of ${inMib(storage.quotaBytes)} MiB`}
      note={
        <>
          <Progress
            my={6}
            value={percent ?? 0}
            color={(percent ?? 0) >= 90 ? "red" : "blue"}
            aria-label="Storage used"
          />
          Files, vector stores, assistants, threads, conversations, responses and batches.
        </>
      }
    />
  );
}
