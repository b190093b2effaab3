import { Group, SegmentedControl, Select, SimpleGrid, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import type { ModelTable } from "./model-table-state.ts";
import { useFacets } from "./use-models.ts";
import { CAPABILITIES, typeWords } from "./words.ts";

const CONTEXTS = [
  { value: "8000", label: "8K and more" },
  { value: "32000", label: "32K and more" },
  { value: "128000", label: "128K and more" },
  { value: "200000", label: "200K and more" },
  { value: "1000000", label: "1M and more" },
];
const PRICES = [
  { value: "0", label: "Free" },
  { value: "100000000", label: "Up to $0.10" },
  { value: "1000000000", label: "Up to $1" },
  { value: "5000000000", label: "Up to $5" },
  { value: "15000000000", label: "Up to $15" },
];
const ORDERS = [
  { value: "name", label: "By name" },
  { value: "inputPrice", label: "Cheapest input first" },
  { value: "outputPrice", label: "Cheapest output first" },
  { value: "-contextLength", label: "Longest context first" },
];

/** Everything that narrows the list; it stands in the address bar. */
export function ModelFilters({ table: { state, set } }: { table: ModelTable }) {
  const { providers, types } = useFacets();
  return (
    <>
      <Group mb="sm" align="flex-end">
        <Search value={state.search} onChange={(search) => set({ search })} />
        <Choice label="Order" value={state.sort} data={ORDERS} onChange={(sort) => set({ sort: sort || "name" })} />
        <SegmentedControl
          aria-label="How the models are shown"
          data={[
            { value: "cards", label: "Cards" },
            { value: "table", label: "Table" },
          ]}
          value={state.view}
          onChange={(view) => set({ view, page: state.page })}
        />
      </Group>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" mb="lg">
        <Choice
          label="Type"
          value={state.type}
          data={types.map((value) => ({ value, label: typeWords(value) }))}
          onChange={(type) => set({ type })}
        />
        <Choice
          label="Provider"
          value={state.provider}
          data={providers.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(provider) => set({ provider })}
        />
        <Choice
          label="Capability"
          value={state.capability}
          data={Object.entries(CAPABILITIES).map(([value, label]) => ({ value, label }))}
          onChange={(capability) => set({ capability })}
        />
        <Choice
          label="Context"
          value={state.minContext}
          data={CONTEXTS}
          onChange={(minContext) => set({ minContext })}
        />
        <Choice
          label="Input, 1M tokens"
          value={state.maxInputPrice}
          data={PRICES}
          onChange={(maxInputPrice) => set({ maxInputPrice })}
        />
      </SimpleGrid>
    </>
  );
}

/** What is typed shows at once; the list follows when the typing pauses. */
function Search({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const later = useDebouncedCallback(onChange, 250);
  return (
    <TextInput
      label="Search"
      placeholder="Name or provider"
      leftSection={<IconSearch size={16} stroke={1.6} />}
      flex={1}
      miw={180}
      maxLength={100}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        later(event.currentTarget.value);
      }}
    />
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly data: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (value: string) => void;
}

const Choice = ({ label, value, data, onChange }: ChoiceProps) => (
  <Select
    label={label}
    placeholder="Any"
    data={[...data]}
    value={value === "" ? null : value}
    onChange={(next) => onChange(next ?? "")}
    clearable={label !== "Order"}
    clearButtonProps={{ "aria-label": `Any ${label.toLowerCase()}` }}
    searchable={data.length > 8}
  />
);
