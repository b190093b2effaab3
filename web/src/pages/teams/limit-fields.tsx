import { NumberInput, Select, SimpleGrid, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { withCurrent } from "../../components/budget-windows.ts";
import type { LimitValues } from "./limit-values.ts";

const WINDOWS = [
  { value: "hour", label: "in an hour" },
  { value: "day", label: "in a day" },
  { value: "week", label: "in a week" },
  { value: "month", label: "in a month" },
  { value: "total", label: "in all" },
];

const COUNT = { min: 0, allowDecimal: false, thousandSeparator: ",", placeholder: "no limit" } as const;

/** Budget and rates; an empty field is no limit. */
// biome-ignore lint/suspicious/noExplicitAny: forms with more fields than these have them too.
export const LimitFields = ({ form }: { form: UseFormReturnType<any> }) => {
  const props = (name: keyof LimitValues & string) => form.getInputProps(name);
  const window = props("budgetWindow");
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput label="Budget in USD" placeholder="no limit" inputMode="decimal" {...props("budget")} />
      <Select label="Budget holds" data={withCurrent(WINDOWS, window.value)} allowDeselect={false} {...window} />
      <NumberInput label="Requests a minute" {...COUNT} {...props("rpmLimit")} />
      <NumberInput label="Tokens a minute" {...COUNT} {...props("tpmLimit")} />
    </SimpleGrid>
  );
};
