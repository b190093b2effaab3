import { Group, Select, type SelectProps, TextInput, type TextInputProps } from "@mantine/core";
import { WINDOWS, withCurrent } from "./budget-windows.ts";

interface BudgetInputsProps {
  readonly label: string;
  /** How wide the amount is, in times of its window. */
  readonly flex: number;
  /** As `form.getInputProps` gives them. */
  readonly amount: TextInputProps;
  readonly window: SelectProps;
  /** No amount is set: a window of nothing means nothing. */
  readonly isEmpty: boolean;
}

/** An amount of US dollars, and for how long it is. */
export const BudgetInputs = ({ label, flex, amount, window, isEmpty }: BudgetInputsProps) => (
  <Group gap="sm" align="flex-start" wrap="nowrap">
    <TextInput flex={flex} label={label} placeholder="no limit" inputMode="decimal" leftSection="$" {...amount} />
    <Select
      flex={1}
      label="For"
      data={withCurrent(WINDOWS, window.value)}
      allowDeselect={false}
      disabled={isEmpty}
      {...window}
    />
  </Group>
);
