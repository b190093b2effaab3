import { Group, Text } from "@mantine/core";
import type { PlatformModel } from "../../../../src/contract/platform-models.ts";
import { Money } from "../../components/money.tsx";
import { headlinePrices, type ShownPrice } from "./prices.ts";

/** One price with what it is for. */
export const Price = ({ price }: { price: ShownPrice }) =>
  price.nano === 0n ? (
    <Text span inherit>
      free
    </Text>
  ) : (
    <>
      <Money nano={price.nano} exact />{" "}
      <Text span c="dimmed" size="xs">
        / {price.unit}
      </Text>
    </>
  );

/** What calls of the model cost, in a line. */
export function PriceLine({ model }: { model: PlatformModel }) {
  const prices = headlinePrices(model);
  if (prices.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Price not known
      </Text>
    );
  }
  return (
    <Group gap={4}>
      {prices.map((price) => (
        <Text key={price.label} size="sm" component="div">
          <Text span c="dimmed" size="xs">
            {price.label}{" "}
          </Text>
          <Price price={price} />
        </Text>
      ))}
    </Group>
  );
}
