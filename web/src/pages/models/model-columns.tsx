import { Group, Text } from "@mantine/core";
import type { PlatformModel } from "../../../../src/contract/platform-models.ts";
import { AppLink } from "../../components/app-link.tsx";
import type { Column } from "../../components/column.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { headlinePrices } from "../../components/model-prices.ts";
import { Price } from "../../components/price.tsx";
import { CapabilityBadges, StatusBadge } from "./badges.tsx";
import { CompareBox } from "./model-card.tsx";
import type { Compared } from "./model-table-state.ts";
import { shortCount, typeWords } from "./words.ts";

const PriceCell = ({ model, at }: { model: PlatformModel; at: 0 | 1 }) => {
  if (model.priceStatus === "free") return "free";
  const price = headlinePrices(model)[at];
  return price ? (
    <Price price={price} />
  ) : (
    <Text span c="dimmed">
      -
    </Text>
  );
};

export const modelColumns = (base: string, compared: Compared): Column<PlatformModel>[] => [
  {
    name: "name",
    header: "Model",
    isSortable: true,
    cell: ({ id }) => (
      <Group gap={4} wrap="nowrap">
        <AppLink to={`${base}/${encodeURIComponent(id)}`} fw={560} underline="hover">
          {id}
        </AppLink>
        <CopyButton value={id} label={`Copy the id ${id}`} />
      </Group>
    ),
  },
  { name: "provider", header: "Provider", from: "sm", cell: ({ providerName }) => providerName },
  { name: "type", header: "Type", from: "lg", isWhole: true, cell: ({ type }) => typeWords(type) },
  {
    name: "contextLength",
    header: "Context",
    isFigure: true,
    isSortable: true,
    from: "sm",
    cell: ({ contextLength }) =>
      contextLength === null ? "-" : <span title={contextLength.toLocaleString()}>{shortCount(contextLength)}</span>,
  },
  {
    name: "inputPrice",
    header: "Input",
    isFigure: true,
    isSortable: true,
    cell: (model) => <PriceCell model={model} at={0} />,
  },
  {
    name: "outputPrice",
    header: "Output",
    isFigure: true,
    isSortable: true,
    from: "xs",
    cell: (model) => <PriceCell model={model} at={1} />,
  },
  { name: "capabilities", header: "Capabilities", from: "xl", cell: (model) => <CapabilityBadges model={model} /> },
  {
    name: "status",
    header: "Status",
    from: "md",
    isWhole: true,
    cell: (model) => <StatusBadge model={model} />,
  },
  {
    name: "compare",
    header: "Compare",
    from: "xs",
    isWhole: true,
    cell: ({ id }) => <CompareBox id={id} compared={compared} />,
  },
];
