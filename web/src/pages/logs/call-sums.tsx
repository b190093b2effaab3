import { Table, Text, Title } from "@mantine/core";
import type { CallRecord } from "../../../../src/contract/usage-records.ts";
import { Money } from "../../components/money.tsx";

/** What each part cost; the parts add up to the whole, to the nano-dollar. */
export function CostTable({ call }: { call: CallRecord }) {
  return (
    <section aria-label="Cost">
      <Title order={3} mb="xs">
        Cost
      </Title>
      <Table verticalSpacing={6} horizontalSpacing="xs">
        <Table.Tbody>
          {call.costBreakdown.map(({ component, units, unitPriceUsd, cost }) => (
            <Table.Tr key={component}>
              <Table.Td>{component.replaceAll("_", " ")}</Table.Td>
              <Table.Td ta="right" c="dimmed">
                {Number(units).toLocaleString()} × ${unitPriceUsd}
              </Table.Td>
              <Table.Td ta="right">
                <Money nano={cost} exact />
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Td fw={600}>In all</Table.Td>
            <Table.Td />
            <Table.Td ta="right" fw={600}>
              <Money nano={call.cost} exact />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      {call.estimated && (
        <Text size="sm" c="dimmed" mt={4}>
          Estimated: the model did not tell all of what it used.
        </Text>
      )}
    </section>
  );
}

/** What was used; kinds that were not are left out. */
export function TokenTable({ call }: { call: CallRecord }) {
  const used: readonly (readonly [string, number])[] = [
    ["Tokens in", call.promptTokens],
    ["of these from the provider's cache", call.cachedTokens],
    ["of these written to it", call.cacheWriteTokens],
    ["Tokens out", call.completionTokens],
    ["of these for reasoning", call.reasoningTokens],
    ["Tokens of sound in", call.audioInputTokens],
    ["Tokens of sound out", call.audioOutputTokens],
    ["Images", call.images],
    ["Seconds of sound", call.seconds],
    ["Characters", call.characters],
  ];
  const shown = used.filter(([, count]) => count > 0);
  if (shown.length === 0) return null;
  return (
    <section aria-label="Used">
      <Title order={3} mb="xs">
        Used
      </Title>
      <Table verticalSpacing={6} horizontalSpacing="xs">
        <Table.Tbody>
          {shown.map(([name, count]) => (
            <Table.Tr key={name}>
              <Table.Td pl={name.startsWith("of") ? "lg" : "xs"}>{name}</Table.Td>
              <Table.Td ta="right">{count.toLocaleString()}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
