import { Alert, Button, Card, Group, List, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconMinus, IconScale } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";

interface Finding {
  readonly name: string;
  readonly meaning: string;
  readonly differences: readonly string[];
  readonly unchecked: string | null;
}

interface Verified {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

export default function LedgerPage() {
  // It reads all of the books: only when somebody asks for it, and not again by itself.
  const query = useQuery({
    queryKey: ["operator", "ledger"],
    queryFn: ({ signal }) => apiGet<Verified>("/api/admin/ledger/verify", {}, signal),
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const check = (
    <Button leftSection={<IconScale size={16} />} loading={query.isFetching} onClick={() => void query.refetch()}>
      Check the books
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Ledger check"
        about="Recomputes every balance, charge and sum from what it was made of, and tells what differs. Large books take a while."
        actions={check}
      />
      <Stack gap="lg">
        {query.error && <ErrorState error={query.error} title="The check did not get to its end" />}
        {!query.data && !query.error && (
          <Card p={0}>
            <EmptyState icon={IconScale} title={query.isFetching ? "The books are being read" : "Not checked yet"}>
              {query.isFetching ? "Calls go on meanwhile." : "Nothing is changed by a check."}
            </EmptyState>
          </Card>
        )}
        {query.data && <Result verified={query.data} at={new Date(query.dataUpdatedAt).toISOString()} />}
      </Stack>
    </>
  );
}

function Result({ verified: { ok, findings }, at }: { verified: Verified; at: string }) {
  const differences = findings.reduce((sum, finding) => sum + finding.differences.length, 0);
  return (
    <>
      <Alert
        color={ok ? "pine" : "red"}
        icon={ok ? <IconCheck size={18} /> : <IconAlertTriangle size={18} />}
        title={ok ? "The books are sound" : `${differences.toLocaleString()} differences`}
        role="status"
      >
        Checked <Time at={at} as="ago" />.
      </Alert>
      <Card component="section" aria-label="What was checked">
        <Title order={2} mb="md">
          What was checked
        </Title>
        <Stack gap="sm">
          {findings.map((finding) => (
            <FindingRow key={finding.name} finding={finding} />
          ))}
        </Stack>
      </Card>
    </>
  );
}

/** So many are enough to see what is wrong. */
const SHOWN_MAX = 50;

function FindingRow({ finding: { meaning, differences, unchecked } }: { finding: Finding }) {
  const isSound = differences.length === 0;
  const Icon = !isSound ? IconAlertTriangle : unchecked === null ? IconCheck : IconMinus;
  return (
    <Group align="flex-start" gap="sm" wrap="nowrap">
      <ThemeIcon variant="light" size="sm" color={!isSound ? "red" : unchecked === null ? "pine" : "gray"} aria-hidden>
        <Icon size={14} />
      </ThemeIcon>
      <div>
        <Text size="sm">{meaning.charAt(0).toUpperCase() + meaning.slice(1)}.</Text>
        {unchecked !== null && (
          <Text size="xs" c="dimmed">
            Not looked at: {unchecked}
          </Text>
        )}
        {!isSound && (
          <List size="sm" mt={4}>
            {differences.slice(0, SHOWN_MAX).map((difference) => (
              <List.Item key={difference} className="wraps">
                {difference}
              </List.Item>
            ))}
            {differences.length > SHOWN_MAX && <List.Item>and {differences.length - SHOWN_MAX} more</List.Item>}
          </List>
        )}
      </div>
    </Group>
  );
}
