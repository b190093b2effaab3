import { Box, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { IconStack2 } from "@tabler/icons-react";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { TableFooter } from "../../components/table-footer.tsx";
import { CompareBar } from "./compare-bar.tsx";
import { ModelCard } from "./model-card.tsx";
import { modelColumns } from "./model-columns.tsx";
import { ModelFilters } from "./model-filters.tsx";
import { comparedOf, useModelTable } from "./model-table-state.ts";

const Empty = () => (
  <EmptyState icon={IconStack2} title="No model fits">
    Take a filter away, or search for a part of the name.
  </EmptyState>
);

/** All models that can be called, as cards or as a table. `base` is the page's own path. */
export function ModelBrowser({ base }: { base: string }) {
  const { table, query, factsDate } = useModelTable();
  const compared = comparedOf(table);
  const { data, error } = query;
  return (
    <>
      <ModelFilters table={table} />
      {table.state.view === "table" ? (
        <DataTable
          label="Models"
          columns={modelColumns(base, compared)}
          query={query}
          table={table}
          rowKey={({ id }) => id}
          empty={<Empty />}
        />
      ) : error && !data ? (
        <ErrorState error={error} onRetry={() => void query.refetch()} />
      ) : data?.meta.total === 0 ? (
        <Empty />
      ) : (
        <>
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md" aria-busy={query.isPlaceholderData || !data}>
            {data?.data.map((model) => <ModelCard key={model.id} model={model} base={base} compared={compared} />) ??
              Array.from({ length: 6 }, (_, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
                <Skeleton key={index} height={146} radius="md" />
              ))}
          </SimpleGrid>
          {data && (
            <Box mt="md">
              <TableFooter meta={data.meta} size={table.state.size} set={table.set} />
            </Box>
          )}
        </>
      )}
      {factsDate && (
        <Text size="xs" c="dimmed" mt="md">
          Limits, capabilities and listed prices: table of {factsDate}
        </Text>
      )}
      <CompareBar compared={compared} />
    </>
  );
}
