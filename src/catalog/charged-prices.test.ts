import { expect, test } from "bun:test";
import { OPERATIONS } from "../contract/params.ts";
import { chargedPrices, neededFields } from "./charged-prices.ts";
import { readOwnPrices } from "./own-prices.ts";

test.each(OPERATIONS)("each of the prices that are named for want of one will do: %s", (operation) => {
  const ways = neededFields(operation).split(", or ");
  expect(ways.pop()).toBe("`free: true`");
  expect(ways.length).toBeGreaterThan(0);
  for (const way of ways) {
    const fields = Object.fromEntries(way.split(" and ").map((name) => [name.replaceAll("`", ""), "0.001"]));
    expect(chargedPrices(readOwnPrices(fields), operation)).not.toBeNull();
  }
});
