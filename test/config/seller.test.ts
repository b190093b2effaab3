import { expect, test } from "bun:test";
import { faultsOf, loadText } from "./load-text.ts";

const sellerOf = (lines: string) => {
  const result = loadText(`general_settings:\n  billing:\n${lines}`);
  if (!result.ok) throw new Error(JSON.stringify(result.faults));
  expect(result.warnings).toEqual([]);
  return result.config.payments.seller;
};

test("whoever sells is named with as much as is told", () => {
  expect(sellerOf("    provider: none\n")).toBeNull();
  expect(sellerOf("    seller_name: Example Ltd\n")).toEqual({ name: "Example Ltd", address: null, taxId: null });
  const whole =
    "    seller_name: E\n    seller_address: |\n      1 High Street\n      Oxford\n    seller_tax_id: GB1\n";
  expect(sellerOf(whole)).toEqual({ name: "E", address: "1 High Street\nOxford", taxId: "GB1" });
});

test.each([
  ["seller_tax_id: GB1", "needs a `seller_name` beside it"],
  ["seller_address: Oxford", "needs a `seller_name` beside it"],
  [`seller_name: ${"x".repeat(501)}`, "may have 500 characters"],
])("%s is refused", (line, why) => {
  expect(JSON.stringify(faultsOf(loadText(`general_settings:\n  billing:\n    ${line}\n`)))).toContain(why);
});
