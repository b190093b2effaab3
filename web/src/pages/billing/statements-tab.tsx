import { Anchor, Card, Group, Select, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import { useSearchState } from "../../app/use-search-state.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { Money } from "../../components/money.tsx";
import { useOrganization } from "../../session/session.ts";
import { monthsSince, monthWords } from "./months.ts";
import { useBillingKey } from "./use-billing.ts";

interface Statement {
  readonly timezone: string;
  readonly openingBalance: number;
  readonly closingBalance: number;
  readonly totals: Readonly<Record<"purchases" | "grants" | "refunds" | "adjustments" | "usage", number>>;
  readonly usage: readonly {
    model: string;
    teamId: string | null;
    teamName: string | null;
    calls: number;
    cost: number;
  }[];
}

const TOTALS = [
  ["purchases", "Purchases"],
  ["grants", "Grants and vouchers"],
  ["refunds", "Refunds and disputes"],
  ["adjustments", "Adjustments"],
  ["usage", "Usage"],
] as const;
const STATE = { month: "" };

/** A month of the books, in the organization's time zone; it adds up to the nano-USD. */
export function StatementsTab() {
  const organization = useOrganization();
  const months = monthsSince(organization?.createdAt ?? new Date().toISOString(), organization?.timezone ?? "UTC");
  const [state, set] = useSearchState(STATE);
  const month = months.includes(state.month) ? state.month : (months[0] ?? "");
  const path = `/api/billing/statements/${month}`;
  const { data, error, refetch } = useQuery({
    queryKey: [...useBillingKey(), "statement", month],
    queryFn: ({ signal }) => apiGet<Statement>(path, {}, signal),
  });
  return (
    <Stack gap="lg">
      <Group align="flex-end">
        <Select
          label="Month"
          w={220}
          data={months.map((value) => ({ value, label: monthWords(value) }))}
          value={month}
          onChange={(value) => set({ month: value ?? "" })}
          allowDeselect={false}
        />
        <Group gap="md" pb={8}>
          <Anchor href={`${path}?format=html`} target="_blank" rel="noreferrer">
            Print view
          </Anchor>
          <Anchor href={`${path}?format=pdf`} download={`statement-${month}.pdf`}>
            PDF
          </Anchor>
          <Anchor href={`${path}?format=csv`} download={`statement-${month}.csv`}>
            CSV
          </Anchor>
        </Group>
      </Group>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Drawn statement={data} />
      ) : (
        <Skeleton height={380} />
      )}
    </Stack>
  );
}

const Drawn = ({ statement }: { statement: Statement }) => (
  <>
    <Card component="section" aria-label="Summary">
      <Title order={2}>Summary</Title>
      <Text c="dimmed" size="sm" mb="sm">
        From the first to the last moment of the month in {statement.timezone}.
      </Text>
      <Table aria-label="Summary" horizontalSpacing={0}>
        <Table.Tbody>
          <Line name="Opening balance" nano={statement.openingBalance} />
          {TOTALS.map(([field, name]) => (
            <Line key={field} name={name} nano={statement.totals[field]} />
          ))}
          <Line name="Closing balance" nano={statement.closingBalance} isSum />
        </Table.Tbody>
      </Table>
    </Card>
    <Card component="section" aria-label="Usage by model and team">
      <Title order={2} mb="sm">
        Usage by model and team
      </Title>
      {statement.usage.length === 0 ? (
        <Text c="dimmed">Nothing was used in this month.</Text>
      ) : (
        <Table.ScrollContainer minWidth={0}>
          <Table aria-label="Usage by model and team" horizontalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Model and team</Table.Th>
                <Table.Th ta="right">Calls</Table.Th>
                <Table.Th ta="right">Cost</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {statement.usage.map(({ model, teamId, teamName, calls, cost }) => (
                <Table.Tr key={`${model} ${teamId}`}>
                  <Table.Td className="wraps">
                    {model}
                    <Text size="sm" c="dimmed">
                      {teamName ?? "no team"}
                    </Text>
                  </Table.Td>
                  <Table.Td ta="right">{calls.toLocaleString()}</Table.Td>
                  <Table.Td ta="right">
                    <Money nano={cost} exact />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Card>
  </>
);

const Line = ({ name, nano, isSum = false }: { name: string; nano: number; isSum?: boolean }) => (
  <Table.Tr fw={isSum ? 620 : 400}>
    <Table.Td>{name}</Table.Td>
    <Table.Td ta="right">
      <Money nano={nano} exact />
    </Table.Td>
  </Table.Tr>
);
