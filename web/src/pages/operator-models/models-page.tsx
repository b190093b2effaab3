import { Group, Select, SimpleGrid } from "@mantine/core";
import { IconPlus, IconServer2 } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { ButtonLink } from "../../components/button-link.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { StatCard } from "../../components/stat-card.tsx";
import { isNotSetUp, isUntried, useDeployments } from "../../components/use-deployments.ts";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { type AdminModel, MODELS_KEY, SOURCES } from "./admin-model.ts";
import { modelColumns } from "./model-columns.tsx";
import { ImportPrices } from "./price-files/import-prices.tsx";

const FILTERS = { search: "", source: "", status: "" };

export default function ModelsPage() {
  const table = useTable(FILTERS);
  const { search, source, status } = table.state;
  const query = usePagedQuery<AdminModel>(table, {
    key: MODELS_KEY,
    path: "/api/admin/models",
    query: { search, source, status },
  });
  const deployments = useDeployments();
  const navigate = useNavigate();
  const open = ({ id }: AdminModel) => void navigate({ to: `/operator/models/${encodeURIComponent(id)}` as never });
  const isFiltered = search !== "" || source !== "" || status !== "";
  return (
    <>
      <PageHeader
        title="Deployments"
        about="What serves the models: those of the configuration file, and those added here."
        actions={
          <>
            <ImportPrices />
            <ButtonLink to="/operator/models/new" leftSection={<IconPlus size={16} />}>
              Add a model
            </ButtonLink>
          </>
        }
      />
      <Counts deployments={deployments.data} />
      <Group mb="md" gap="sm">
        <SearchField label="Search models" value={search} onSearch={(text) => table.set({ search: text })} />
        <Select
          aria-label="Where it is kept"
          placeholder="From anywhere"
          data={Object.entries(SOURCES).map(([value, label]) => ({ value, label }))}
          value={source || null}
          onChange={(value) => table.set({ source: value ?? "" })}
          clearable
          w={{ base: "100%", xs: 190 }}
        />
      </Group>
      <DataTable
        label="Models"
        columns={modelColumns(deployments.data)}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        onRow={open}
        empty={
          <EmptyState icon={IconServer2} title={isFiltered ? "No model fits" : "No models yet"}>
            {isFiltered ? "Search for something else, or clear the filters." : "Add one to serve calls."}
          </EmptyState>
        }
      />
    </>
  );
}

function Counts({ deployments }: { deployments: ReturnType<typeof useDeployments>["data"] }) {
  const all = deployments && [...deployments.values()];
  const lacking = all?.filter(isNotSetUp).length ?? 0;
  const count = (states: readonly string[]): number | undefined =>
    all?.filter((one) => !isNotSetUp(one) && states.includes(one.state)).length;
  const untried = all?.filter(isUntried).length ?? 0;
  const well = all && (count(["well"]) ?? 0) - untried;
  const inFlight = all?.reduce((sum, one) => sum + one.inFlight, 0);
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} mb="lg">
      <StatCard
        label="Deployments that are well"
        value={well}
        note={all && `of ${all.length}${untried > 0 ? `; ${untried} not tried yet` : ""}`}
      />
      <StatCard label="Resting" value={count(["resting", "probing"])} note="after failures, or by hand" />
      <StatCard
        label="Out of use"
        value={all && (count(["off", "unwell", "spent"]) ?? 0) + lacking}
        note={lacking > 0 ? `of which ${lacking} not set up` : "switched off, unwell, or without budget"}
      />
      <StatCard label="Calls in flight" value={inFlight} note="in the process that answers" />
    </SimpleGrid>
  );
}
