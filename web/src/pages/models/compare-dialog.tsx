import { Modal, ScrollArea, Skeleton, Table, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { ModelCapability, PlatformModel } from "../../../../src/contract/platform-models.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { headlinePrices } from "../../components/model-prices.ts";
import { Price } from "../../components/price.tsx";
import { StatusBadge } from "./badges.tsx";
import { useModelsNamed } from "./use-models.ts";
import { CAPABILITIES, typeWords } from "./words.ts";

const count = (value: number | null): string => (value === null ? "not known" : value.toLocaleString());

const ROWS: readonly (readonly [string, (model: PlatformModel) => ReactNode])[] = [
  ["Provider", ({ providerName }) => providerName],
  ["Type", ({ type }) => typeWords(type)],
  ["Status", (model) => <StatusBadge model={model} />],
  ["Context, tokens", ({ contextLength }) => count(contextLength)],
  ["Longest answer, tokens", ({ maxOutputTokens }) => count(maxOutputTokens)],
  [
    "Price",
    (model) =>
      model.priceStatus === "free"
        ? "free"
        : headlinePrices(model).map((price) => (
            <div key={price.label}>
              {price.label} <Price price={price} />
            </div>
          )),
  ],
  ...(Object.entries(CAPABILITIES) as [ModelCapability, string][]).map(
    ([name, words]) => [words, ({ capabilities }: PlatformModel) => <Able is={capabilities[name] ?? null} />] as const,
  ),
];

const Able = ({ is }: { is: boolean | null }) =>
  is ? (
    <IconCheck size={16} aria-label="yes" />
  ) : (
    <Text span size="sm" c="dimmed">
      {is === null ? "not known" : "no"}
    </Text>
  );

interface CompareDialogProps {
  readonly ids: readonly string[];
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The chosen models beside each other. */
export function CompareDialog({ ids, opened, onClose }: CompareDialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Comparison"
      size={Math.max(560, 200 + ids.length * 220)}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Compared ids={ids} />
    </Modal>
  );
}

function Compared({ ids }: { ids: readonly string[] }) {
  const found = useModelsNamed(ids);
  const failed = found.find(({ error }) => error)?.error;
  if (failed) return <ErrorState error={failed} />;
  const models = found.flatMap(({ data }) => data ?? []);
  if (models.length < ids.length) return <Skeleton height={360} />;
  return (
    <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: "region", "aria-label": "Models beside each other" }}>
      <Table aria-label="Comparison" miw={140 + ids.length * 150}>
        <Table.Thead>
          <Table.Tr>
            <Table.Td />
            {models.map(({ id }) => (
              <Table.Th key={id} className="wraps">
                {id} <CopyButton value={id} label={`Copy the id ${id}`} />
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {ROWS.map(([name, draw]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={500} c="dimmed">
                {name}
              </Table.Th>
              {models.map((model) => (
                <Table.Td key={model.id}>{draw(model)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}
