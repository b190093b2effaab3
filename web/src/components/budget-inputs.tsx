import { Group, Select, type SelectProps, TextInput, type TextInputProps } from "@mantine/core";
import type { ApiKeyRecord } from "../../../src/contract/keys.ts";
import { currentWindow, WINDOWS, withCurrent } from "./budget-windows.ts";
import { Money } from "./money.tsx";

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

interface FurtherBudgetProps {
  readonly budget: ApiKeyRecord["furtherBudgets"][number];
}

/** A budget next to the main one in a line: how much of it is spent, and the model that it is for. */
export const FurtherBudget = ({ budget: { model, window, spent, limit } }: FurtherBudgetProps) => (
  <>
    <Money nano={spent} /> of <Money nano={limit} /> {currentWindow(window)}
    {model !== null && ` with ${model}`}
  </>
);
