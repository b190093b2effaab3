import { Box, Button, Group, Stack, Text } from "@mantine/core";
import { IconTag } from "@tabler/icons-react";
import { Fragment, useState } from "react";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { AppLink } from "../../components/app-link.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { formatPercent } from "../../components/format-percent.ts";
import { headlinePrices, isByToken, tellingPrices } from "../../components/model-prices.ts";
import { Money } from "../../components/money.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Price } from "../../components/price.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { useDeployments } from "../../components/use-deployments.ts";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { type AdminModel, MODELS_KEY, pricedOf } from "./admin-model.ts";
import { MarkupCard, useMarkup } from "./markup-card.tsx";
import { ImportPrices } from "./price-files/import-prices.tsx";
import { LoadTable } from "./price-files/load-table.tsx";
import { PriceForm } from "./price-form.tsx";
import { tellApart } from "./tell-apart.ts";
import { withMarkup } from "./with-markup.ts";

const FILTERS = { search: "" };

export default function PricesPage() {
  const table = useTable(FILTERS);
  const [edited, setEdited] = useState<AdminModel | null>(null);
  const markup = useMarkup().data?.percent;
  const apart = tellApart(useDeployments().data?.values() ?? []);
  const query = usePagedQuery<AdminModel>(table, {
    key: MODELS_KEY,
    path: "/api/admin/models",
    query: { search: table.state.search },
  });
  return (
    <>
      <PageHeader
        title="Prices"
        about="What models cost at their providers, and what callers are charged, in USD for a million tokens unless another unit stands beside it. Own prices come first, then those of the model table."
        actions={
          <Group gap="xs">
            <LoadTable />
            <ImportPrices />
          </Group>
        }
      />
      <MarkupCard />
      <Group mb="md">
        <SearchField label="Search models" value={table.state.search} onSearch={(search) => table.set({ search })} />
      </Group>
      <DataTable
        label="Prices"
        columns={columns(markup ?? 0, apart, setEdited)}
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

const columns = (
  markup: number,
  apart: ReadonlyMap<string, string>,
  onEdit: (model: AdminModel) => void,
): readonly Column<AdminModel>[] => [
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
        {apart.has(model.id) && (
          <Text size="xs" className="wraps">
            {apart.get(model.id)}
          </Text>
        )}
        <Text component="div" size="xs" hiddenFrom="lg">
          <OtherUnits model={model} />
        </Text>
        <Box hiddenFrom="sm" mt={4}>
          <Edit model={model} apart={apart.get(model.id)} onEdit={onEdit} />
        </Box>
      </Stack>
    ),
  },
  tokenPrice("input", "Input"),
  tokenPrice("output", "Output"),
  { ...tokenPrice("cache_read", "Cached input"), from: "lg" },
  {
    name: "other",
    header: "Other units",
    from: "lg",
    cell: (model) => (otherUnits(model).length === 0 ? <Dash /> : <OtherUnits model={model} />),
  },
  {
    name: "markup",
    header: "Mark-up",
    isFigure: true,
    from: "md",
    cell: (model) => formatPercent(markupOf(model, markup) / 100, 2),
  },
  {
    name: "charged",
    header: "Charged",
    isFigure: true,
    from: "md",
    cell: (model) => <Charged model={model} percent={markupOf(model, markup)} />,
  },
  {
    name: "edit",
    header: <ActionsHeader />,
    from: "sm",
    isFigure: true,
    cell: (model) => <Edit model={model} apart={apart.get(model.id)} onEdit={onEdit} />,
  },
];

interface EditProps {
  readonly model: AdminModel;
  readonly apart: string | undefined;
  readonly onEdit: (model: AdminModel) => void;
}

/** A button, or where the price is kept that cannot be changed here. */
const Edit = ({ model, apart, onEdit }: EditProps) =>
  model.readOnly ? (
    <Text size="xs" c="dimmed">
      {model.source === "built-in" ? "built in" : "in the file"}
    </Text>
  ) : (
    <Button
      size="xs"
      variant="default"
      onClick={() => onEdit(model)}
      aria-label={`Change the price of ${[model.name, apart].filter(Boolean).join(", ")}`}
    >
      Change
    </Button>
  );

/** As it costs at the provider; a dash where calls of the model are not charged by it. */
const tokenPrice = (component: string, header: string): Column<AdminModel> => ({
  name: component,
  header,
  isFigure: true,
  cell: (model) => {
    const found = tellingPrices(pricedOf(model)).find((price) => price.component === component);
    if (!found) return <Dash />;
    return found.nano === 0n ? "free" : <Money size="sm" nano={found.nano} />;
  },
});

const TOKEN_COLUMNS: readonly string[] = ["input", "output", "cache_read"];

const otherUnits = (model: AdminModel) =>
  tellingPrices(pricedOf(model)).filter(({ component }) => !TOKEN_COLUMNS.includes(component));

/** Prices that have no column of their own, with what each is for. */
const OtherUnits = ({ model }: { model: AdminModel }) =>
  otherUnits(model).map((price) => (
    <div key={price.component}>
      {isByToken(price) && <>{price.label} </>}
      <Price price={price} />
    </div>
  ));

/** What callers pay: tokens in and out, or whatever else calls of the model are counted by. */
function Charged({ model, percent }: { model: AdminModel; percent: number }) {
  const { type, pricing } = pricedOf(model);
  const marked = pricing.map(({ component, price }) => ({ component, price: withMarkup(price, percent) }));
  const prices = headlinePrices({ type, pricing: marked });
  if (prices.length === 0) return <Dash />;
  if (prices.every(({ nano }) => nano === 0n)) return "free";
  return prices.map((price, at) => (
    <Fragment key={price.component}>
      {at > 0 && (
        <Text span c="dimmed">
          {" · "}
        </Text>
      )}
      {isByToken(price) ? <Money size="sm" nano={price.nano} /> : <Price price={price} />}
    </Fragment>
  ));
}

const markupOf = ({ info }: AdminModel, otherwise: number): number =>
  typeof info.markup_percent === "number" ? info.markup_percent : otherwise;

const Dash = () => (
  <Text span size="sm" c="dimmed">
    –
  </Text>
);
