import { Stack, Table, Text } from "@mantine/core";
import type { PriceImportView } from "../../../../../src/contract/price-import.ts";
import { counted } from "../../../components/counted.ts";
import { shownPrice } from "../../../components/model-prices.ts";
import { Price } from "../../../components/price.tsx";

type Imported = PriceImportView["models"][number];
type Change = Imported["changes"][number];

export const touchedBy = ({ summary }: PriceImportView): number => summary.changed + summary.adopted;

/** A file may bear on thousands of models; all of them are in the answer, and in what the command line prints. */
const ROWS_MAX = 200;
const NAMES_MAX = 12;

/** What a file of prices changes, what stays, and what it has for nobody. */
export function ImportedPrices({ told }: { told: PriceImportView }) {
  const rows = told.models.flatMap((model) => model.changes.map((change) => ({ model, change })));
  return (
    <Stack gap="sm">
      {rows.length > 0 && <Changes rows={rows.slice(0, ROWS_MAX)} />}
      {rows.length > ROWS_MAX && (
        <Text size="sm" c="dimmed">
          And {counted(rows.length - ROWS_MAX, "more price")}.
        </Text>
      )}
      <Sums told={told} />
    </Stack>
  );
}

const Changes = ({ rows }: { rows: readonly { model: Imported; change: Change }[] }) => (
  <Table.ScrollContainer minWidth={0} maxHeight={380} type="native" tabIndex={0} role="region" aria-label="Changes">
    <Table aria-label="What would change" stickyHeader>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Model</Table.Th>
          <Table.Th>Price</Table.Th>
          <Table.Th ta="right">From</Table.Th>
          <Table.Th ta="right">To</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ model, change }) => (
          <Table.Tr key={`${model.id} ${change.field}`} {...(model.readOnly ? { c: "dimmed" } : {})}>
            <Table.Td>
              <Text size="sm" className="wraps">
                {model.name}
              </Text>
              <Text size="xs" c="dimmed" className="wraps">
                {model.entry}
              </Text>
              <Stays model={model} />
            </Table.Td>
            <Table.Td>{priceLabel(change)}</Table.Td>
            <Table.Td ta="right">
              <Amount change={change} nano={change.fromPrice} />
              {change.listed && change.fromPrice !== 0 && (
                <Text size="xs" c="dimmed">
                  model table
                </Text>
              )}
            </Table.Td>
            <Table.Td ta="right">
              <Amount change={change} nano={change.toPrice} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

function Stays({ model: { readOnly, source } }: { model: Imported }) {
  if (!readOnly) return null;
  return (
    <Text size="xs" fs="italic">
      {source === "built-in" ? "built in: stays" : "in the file: stays"}
    </Text>
  );
}

/** A price in USD; a dash for no known price. */
export const Amount = ({ change: { component }, nano }: { change: Pick<Change, "component">; nano: number | null }) =>
  nano === null ? (
    <Text span size="sm" c="dimmed">
      –
    </Text>
  ) : (
    <Price price={shownPrice(component, nano)} />
  );

const SERVICES: Readonly<Record<string, string>> = { flex: "flex", priority: "priority", batches: "batch" };

/** Names a price, with the tier that its field ends in. */
export function priceLabel({ component, field }: Pick<Change, "component" | "field">): string {
  const above = /_above_(\d+)k_tokens/.exec(field)?.[1];
  const service = SERVICES[/_(flex|priority|batches)$/.exec(field)?.[1] ?? ""];
  const tier = [above && `above ${above}k tokens`, service].filter((part) => part !== undefined);
  return [shownPrice(component, 0).label, ...tier].join(", ");
}

function Sums({ told: { summary, unmatched, rounded, models } }: { told: PriceImportView }) {
  const ignored = [...new Set(models.flatMap((model) => model.ignored))];
  const lines = [
    `Would change: ${counted(summary.changed, "model")}. At that price already: ${summary.unchanged.toLocaleString()}.`,
    summary.adopted > 0 &&
      `Would keep the price of the model table as their own, also if the table changes: ${counted(summary.adopted, "model")}.`,
    summary.readOnly > 0 && `Not changed, since kept elsewhere: ${counted(summary.readOnly, "model")}.`,
    summary.unpriced > 0 &&
      `Not changed, since the file has no price that their calls are charged by: ${counted(summary.unpriced, "model")}.`,
    ignored.length > 0 && `Nothing is charged by ${named(ignored)}.`,
    unmatched.length > 0 && `${counted(unmatched.length, "entry", "entries")} for no model here: ${named(unmatched)}.`,
    rounded.length > 0 &&
      `Rounded: ${named(rounded.map(({ entry, value, rounded: to }) => `${entry} ${value} to ${to}`))}.`,
  ];
  return (
    <Stack gap={4} role="status">
      {lines.map((line) =>
        line ? (
          <Text key={line} size="sm" c="dimmed" className="wraps">
            {line}
          </Text>
        ) : null,
      )}
    </Stack>
  );
}

const named = (names: readonly string[]): string =>
  names.length > NAMES_MAX
    ? `${names.slice(0, NAMES_MAX).join(", ")} and ${(names.length - NAMES_MAX).toLocaleString()} more`
    : names.join(", ");
