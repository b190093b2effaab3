import {
  FileInput,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { StrategyRecord } from "../../../../src/contract/training.ts";
import type { PlanValues } from "./plan-values.ts";

interface PlanFieldsProps {
  readonly form: UseFormReturnType<PlanValues>;
  readonly names: readonly string[];
  readonly strategies: readonly StrategyRecord[];
}

/** What a plan says, field by field. What is left empty is the server's usual. */
export function PlanFields({ form, names, strategies }: PlanFieldsProps) {
  const strategy = strategies.find(({ name }) => name === form.values.strategy);
  const number = (label: string, field: keyof PlanValues & string, more: object = {}) => (
    <NumberInput label={label} min={0} {...more} {...form.getInputProps(field)} />
  );
  return (
    <Stack gap="lg">
      <TextInput label="Name" placeholder="training" maxLength={100} {...form.getInputProps("name")} />
      <MultiSelect
        label="Participants"
        description="Who is asked to train."
        data={[...names]}
        searchable
        required
        clearButtonProps={{ "aria-label": "Nobody" }}
        nothingFoundMessage="No participant of that name"
        {...form.getInputProps("participants")}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: "end" }}>
        {number("Rounds", "rounds", { required: true, min: 1, allowDecimal: false })}
        <Select
          label="Strategy"
          data={strategies.map(({ name }) => name)}
          allowDeselect={false}
          {...form.getInputProps("strategy")}
        />
      </SimpleGrid>
      {strategy && (
        <Text size="sm" c="dimmed">
          {strategy.summary}
          {strategy.updatesMin > 1 && ` It needs ${strategy.updatesMin} answers in every round.`}
        </Text>
      )}
      {strategy && strategy.settings.length > 0 && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: "end" }}>
          {strategy.settings.map(({ name, usual, description }) => (
            <NumberInput
              key={`${strategy.name} ${name}`}
              label={name}
              description={description}
              placeholder={String(usual)}
              {...form.getInputProps(`settings.${name}`)}
            />
          ))}
        </SimpleGrid>
      )}
      <Switch
        label="Secure aggregation"
        description="Updates are masked so that the server sees nothing but their sum. For three participants or more, and not with rules that compare updates."
        {...form.getInputProps("isSecure", { type: "checkbox" })}
      />
      <FileInput
        label="Model to begin with"
        description="Without one, participants begin from nothing. Secure aggregation and noise need it."
        placeholder="safetensors, npy or npz"
        clearable
        clearButtonProps={{ "aria-label": "No model" }}
        {...form.getInputProps("initial")}
      />
      <Title order={2} size="h4">
        What participants are told
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: "end" }}>
        <TextInput label="Data to train on" placeholder="their own" {...form.getInputProps("dataset")} />
        <TextInput label="Data to evaluate on" placeholder="the same" {...form.getInputProps("evaluationDataset")} />
        {number("Learning rate", "learningRate", { placeholder: "their own", step: 0.01 })}
        {number("Epochs in a round", "epochs", { placeholder: "their own", allowDecimal: false })}
      </SimpleGrid>
      <Title order={2} size="h4">
        Rounds
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: "end" }}>
        {number("Asked in a round", "sample", { placeholder: "all", allowDecimal: false, min: 1 })}
        {number("Have to answer", "quorum", { placeholder: "all who are asked", allowDecimal: false, min: 1 })}
        {number("Seconds to answer", "deadline", { placeholder: "600", allowDecimal: false, min: 1 })}
        {number("Tries again", "retries", { placeholder: "2", allowDecimal: false })}
        {number("Longest change that counts", "clip", { placeholder: "any" })}
        {number("Accuracy that is enough", "stopAt", { placeholder: "run to the end", step: 0.01 })}
        {number("Examples that count at most", "maxExamples", {
          placeholder: "any number",
          allowDecimal: false,
          min: 1,
        })}
        {number("Seed", "seed", { placeholder: "0", allowDecimal: false })}
      </SimpleGrid>
    </Stack>
  );
}
