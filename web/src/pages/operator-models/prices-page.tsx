import { Button, Group, Stack, Text } from "@mantine/core";
import { IconTag } from "@tabler/icons-react";
import { useState } from "react";
import { AppLink } from "../../components/app-link.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Money } from "../../components/money.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { type AdminModel, MODELS_KEY } from "./admin-model.ts";
import { MarkupCard, useMarkup } from "./markup-card.tsx";
import { PriceForm } from "./price-form.tsx";
import { withMarkup } from "./with-markup.ts";

const FILTERS = { search: "" };

export default function PricesPage() {
  const table = useTable(FILTERS);
  const [edited, setEdited] = useState<AdminModel | null>(null);
  const markup = useMarkup().data?.percent;
  const query = usePagedQuery<AdminModel>(table, {
    key: MODELS_KEY,
    path: "/api/admin/models",
    query: { search: table.state.search },
  });
  return (
    <>
      <PageHeader
        title="Prices"
        about="What models cost at their providers, and what callers are charged, in USD for a million tokens. Own prices come first, then the public price list."
      />
      <MarkupCard />
      <Group mb="md">
        <SearchField label="Search models" value={table.state.search} onSearch={(search) => table.set({ search })} />
      </Group>
      <DataTable
        label="Prices"
        columns={columns(markup ?? 0, setEdited)}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconTag} title="No model fits">
            Search for another name.
          </EmptyState>
        }
      />
      <PriceForm model={edited} onClose={() => setEdited(null)} />
    </>
  );
}

const columns = (markup: number, onEdit: (model: AdminModel) => void): readonly Column<AdminModel>[] => [
  {
    name: "name",
    header: "Model",
    cell: (model) => (
      <Stack gap={0}>
        <AppLink to={`/operator/models/${encodeURIComponent(model.id)}`} size="sm" className="wraps">
          {model.name}
        </AppLink>
        <Text size="xs" c="dimmed" className="wraps">
          {model.provider}/{model.inferenceModelId ?? "?"}
        </Text>
      </Stack>
    ),
  },
  price("input", "Input", (model) => model.inputPrice),
  price("output", "Output", (model) => model.outputPrice),
  { ...price("cached", "Cached input", (model) => model.cachedInputPrice), from: "lg" },
  {
    name: "other",
    header: "Other units",
    from: "lg",
    cell: ({ pricing = [] }) =>
      pricing
        .filter(({ component }) => !["input", "output", "cache_read"].includes(component))
        .map(({ component }) => component.replaceAll("_", " "))
        .join(", ") || <Dash />,
  },
  {
    name: "markup",
    header: "Mark-up",
    isFigure: true,
    from: "md",
    cell: (model) => `${markupOf(model, markup)} %`,
  },
  {
    name: "charged",
    header: "Charged, in and out",
    isFigure: true,
    from: "md",
    cell: (model) => (
      <Group gap={6} justify="flex-end" wrap="nowrap">
        <Money size="sm" nano={withMarkup(model.inputPrice ?? null, markupOf(model, markup))} />
        <Text span c="dimmed">
          ·
        </Text>
        <Money size="sm" nano={withMarkup(model.outputPrice ?? null, markupOf(model, markup))} />
      </Group>
    ),
  },
  {
    name: "edit",
    header: "",
    from: "sm",
    isFigure: true,
    cell: (model) =>
      model.readOnly ? (
        <Text size="xs" c="dimmed">
          {model.source === "built-in" ? "built in" : "in the file"}
        </Text>
      ) : (
        <Button
          size="xs"
          variant="default"
          onClick={() => onEdit(model)}
          aria-label={`Change the price of ${model.name}`}
        >
          Change
        </Button>
      ),
  },
];

const price = (
  name: string,
  header: string,
  read: (model: AdminModel) => number | null | undefined,
): Column<AdminModel> => ({
  name,
  header,
  isFigure: true,
  cell: (model) => {
    const nano = read(model);
    return nano === null || nano === undefined ? <Dash /> : <Money size="sm" nano={nano} />;
  },
});

const markupOf = ({ info }: AdminModel, otherwise: number): number =>
  typeof info.markup_percent === "number" ? info.markup_percent : otherwise;

const Dash = () => (
  <Text span size="sm" c="dimmed">
    –
  </Text>
);
