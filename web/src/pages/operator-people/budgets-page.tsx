import { Button, Card, Group, Skeleton, Table, Text } from "@mantine/core";
import { IconGauge, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiGet } from "../../api/client.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { BUDGETS_KEY, type BudgetRow, limitsOf } from "./budget.ts";
import { BudgetForm } from "./budget-form.tsx";
import { LimitsText } from "./limits-text.tsx";
import { RemoveBudget } from "./remove-budget.tsx";

export default function BudgetsPage() {
  const query = useQuery({
    queryKey: BUDGETS_KEY,
    queryFn: ({ signal }) => apiGet<readonly BudgetRow[]>("/budget/list", {}, signal),
  });
  const [edited, setEdited] = useState<BudgetRow | "new" | null>(null);
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited("new")}>
      Make a budget
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Budgets"
        about="Limits under a name. Whoever has the budget has its limits, each for itself; a change reaches all at once."
        actions={add}
      />
      {query.error && !query.data && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={200} />}
      {query.data && (
        <Card p={0}>
          {query.data.length === 0 ? (
            <EmptyState icon={IconGauge} title="No budgets yet" action={add}>
              Make one, and give its name to keys, teams and organizations as budget_id. Limits of a single key, team or
              organization are set on its own page.
            </EmptyState>
          ) : (
            <BudgetTable budgets={query.data} onEdit={setEdited} />
          )}
        </Card>
      )}
      <BudgetForm edited={edited} onClose={() => setEdited(null)} />
    </>
  );
}

interface BudgetTableProps {
  readonly budgets: readonly BudgetRow[];
  readonly onEdit: (budget: BudgetRow) => void;
}

const BudgetTable = ({ budgets, onEdit }: BudgetTableProps) => (
  <Table.ScrollContainer minWidth={0}>
    <Table aria-label="Budgets">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Limits</Table.Th>
          <Table.Th visibleFrom="md">Changed</Table.Th>
          <Table.Th>
            <ActionsHeader />
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {budgets.map((budget) => (
          <Table.Tr key={budget.budget_id}>
            <Table.Td>
              <Text size="sm" fw={560} className="wraps">
                {budget.budget_id}
              </Text>
            </Table.Td>
            <Table.Td>
              <LimitsText limits={limitsOf(budget)} />
            </Table.Td>
            <Table.Td visibleFrom="md">
              <Time at={budget.updated_at} as="day" />
            </Table.Td>
            <Table.Td>
              <Group gap="xs" justify="flex-end">
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => onEdit(budget)}
                  aria-label={`Change ${budget.budget_id}`}
                >
                  Change
                </Button>
                <RemoveBudget id={budget.budget_id} />
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);
