import { Text } from "@mantine/core";
import type { ShownPrice } from "./model-prices.ts";
import { Money } from "./money.tsx";

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
