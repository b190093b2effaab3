import { Alert, Button } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconShieldCheck } from "@tabler/icons-react";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { Time } from "../../components/time.tsx";

interface Verified {
  readonly ok: boolean;
  readonly verifiedUpTo: number;
  readonly removedUpTo: number;
  readonly unsealed: number;
  readonly firstDifference: { readonly seq: number; readonly id: string | null; readonly what: string } | null;
  readonly differences: number;
  readonly missingRows: number;
  readonly head: { readonly seq: number; readonly hash: string };
}

/** It reads all of the log: only when somebody asks for it, and not again by itself. */
export const useAuditCheck = (): UseQueryResult<Verified> =>
  useQuery({
    queryKey: ["operator", "audit", "verify"],
    queryFn: ({ signal }) => apiGet<Verified>("/api/admin/audit-logs/verify", {}, signal),
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export const CheckButton = ({ query }: { query: UseQueryResult<Verified> }) => (
  <Button
    variant="default"
    leftSection={<IconShieldCheck size={16} />}
    loading={query.isFetching}
    onClick={() => void query.refetch()}
  >
    Verify
  </Button>
);

export function CheckResult({ query }: { query: UseQueryResult<Verified> }) {
  if (query.error) return <ErrorState error={query.error} title="The log could not be verified" />;
  if (!query.data) return null;
  const { ok, head, firstDifference, differences, missingRows, ...rest } = query.data;
  return (
    <Alert
      color={ok ? "pine" : "red"}
      icon={ok ? <IconCheck size={18} /> : <IconAlertTriangle size={18} />}
      title={ok ? "The log is as it was written" : `${differences.toLocaleString()} differences`}
      role="status"
      mb="md"
      className="wraps"
    >
      Verified up to row {rest.verifiedUpTo.toLocaleString()}
      {rest.removedUpTo > 0 && `; retention has removed the rows up to ${rest.removedUpTo.toLocaleString()}`}
      {rest.unsealed > 0 && `; ${rest.unsealed.toLocaleString()} not sealed yet`},{" "}
      <Time at={new Date(query.dataUpdatedAt).toISOString()} as="ago" />.
      {firstDifference && ` Row ${firstDifference.seq.toLocaleString()}: ${firstDifference.what}.`}
      {missingRows > 0 && ` ${missingRows.toLocaleString()} rows are missing.`}
      {head.seq > 0 && ` It ends with ${head.seq}:${head.hash}.`}
    </Alert>
  );
}
