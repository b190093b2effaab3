import { NumberInput, Select, SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { WINDOWS, withCurrent } from "../../components/budget-windows.ts";
import type { LimitValues } from "./limits.ts";

const COUNT = { min: 0, allowDecimal: false, thousandSeparator: ",", placeholder: "No limit" } as const;

/** What may be spent and how often; an empty field is no limit. */
export function LimitFields<V extends LimitValues>({ form }: { form: UseFormReturnType<V> }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        label="Budget"
        leftSection="$"
        inputMode="decimal"
        placeholder="No limit"
        {...form.getInputProps("budget")}
      />
      <Select
        label="For"
        data={withCurrent(WINDOWS, form.values.budgetWindow)}
        allowDeselect={false}
        {...form.getInputProps("budgetWindow")}
      />
      <TextInput
        label="Tell at"
        leftSection="$"
        inputMode="decimal"
        placeholder="Never"
        {...form.getInputProps("softBudget")}
      />
      <NumberInput label="Calls at one time" {...COUNT} {...form.getInputProps("parallelLimit")} />
      <NumberInput label="Requests a minute" {...COUNT} {...form.getInputProps("rpmLimit")} />
      <NumberInput label="Tokens a minute" {...COUNT} {...form.getInputProps("tpmLimit")} />
    </SimpleGrid>
  );
}
