import { Group, Text } from "@mantine/core";
import type { PlatformModel } from "../../../../src/contract/platform-models.ts";
import { headlinePrices } from "../../components/model-prices.ts";
import { Price } from "../../components/price.tsx";

/** What calls of the model cost, in a line. */
export function PriceLine({ model }: { model: PlatformModel }) {
  const prices = headlinePrices(model);
  if (model.priceStatus === "free") return <Text size="sm">Free</Text>;
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
