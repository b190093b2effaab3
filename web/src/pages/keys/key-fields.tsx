import { Button, NumberInput, Select, SimpleGrid, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useEffect } from "react";
import { AddressesInput } from "../../components/addresses-input.tsx";
import { BudgetInputs } from "../../components/budget-inputs.tsx";
import { useModels } from "../../components/use-models.ts";
import { useTeams } from "../../session/session.ts";
import type { KeyValues } from "./key-values.ts";

/** What stands behind the button, unless it has something to show. */
const MORE = [
  "rpmLimit",
  "tpmLimit",
  "parallelLimit",
  "models",
  "expiresAt",
  "softBudget",
  "rotationInterval",
  "rotationGrace",
  "allowedIps",
  "tags",
] as const satisfies readonly (keyof KeyValues)[];
const isSet = (value: string | number | readonly string[]): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== "";

/** The fields of a key, new or not. A key stays in its team. */
export function KeyFields({ form, isNew }: { form: UseFormReturnType<KeyValues>; isNew: boolean }) {
  const teams = useTeams().data?.data ?? [];
  const [wantsMore, more] = useDisclosure(MORE.some((name) => isSet(form.values[name])));
  // What is wrong must be in sight, or the button below seems to do nothing; it stays there while it is put right.
  const isWrong = MORE.some((name) => form.errors[name] !== undefined);
  const isOpen = wantsMore || isWrong;
  useEffect(() => {
    if (isWrong) more.open();
  }, [isWrong, more.open]);
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: isNew ? 2 : 1 }}>
        <TextInput
          label="Name"
          description="What it is for: a program, a machine."
          required
          maxLength={100}
          data-autofocus
          // The dialog has chosen where to begin before the fields of a new key are there.
          autoFocus={isNew}
          {...form.getInputProps("name")}
        />
        {isNew && (
          <Select
            label="Team"
            description="Whose budget its calls count for."
            required
            data={teams.map(({ id, name }) => ({ value: id, label: name }))}
            searchable
            allowDeselect={false}
            {...form.getInputProps("teamId")}
          />
        )}
      </SimpleGrid>
      <BudgetFields form={form} />
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          px={4}
          h="auto"
          maw="100%"
          styles={{ label: { whiteSpace: "normal", textAlign: "left", lineHeight: 1.4 } }}
          leftSection={isOpen ? <IconChevronDown size={16} /> : <IconChevronRight size={16} />}
          aria-expanded={isOpen}
          onClick={more.toggle}
        >
          Rates, models, end, rotation, addresses, tags
        </Button>
      </div>
      {isOpen && <MoreFields form={form} />}
    </Stack>
  );
}

const BudgetFields = ({ form }: { form: UseFormReturnType<KeyValues> }) => (
  <div>
    <BudgetInputs
      label="Budget"
      flex={2}
      amount={form.getInputProps("budget")}
      window={form.getInputProps("budgetWindow")}
      isEmpty={`${form.values.budget}${form.values.softBudget}`.trim() === ""}
    />
    <Text size="xs" c="dimmed" mt={4}>
      Once it is spent, calls are refused. Leave it empty for no limit of the key's own.
    </Text>
  </div>
);

const GRACES = [
  { value: "", label: "a week, or the interval if shorter" },
  { value: "3600", label: "an hour" },
  { value: "86400", label: "a day" },
  { value: "604800", label: "a week" },
];

/** Over the API any number of seconds can be set. */
const gracesWith = (seconds: string) =>
  GRACES.some(({ value }) => value === seconds)
    ? GRACES
    : [...GRACES, { value: seconds, label: `${Number(seconds).toLocaleString()} seconds` }];

function MoreFields({ form }: { form: UseFormReturnType<KeyValues> }) {
  const models = useModels().data ?? [];
  const count = { min: 0, max: 1_000_000_000, allowDecimal: false, thousandSeparator: ",", placeholder: "no limit" };
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <NumberInput label="Requests a minute" {...count} {...form.getInputProps("rpmLimit")} />
        <NumberInput label="Tokens a minute" {...count} {...form.getInputProps("tpmLimit")} />
        <NumberInput label="Calls at one time" {...count} {...form.getInputProps("parallelLimit")} />
      </SimpleGrid>
      <TagsInput
        label="Models"
        description="Names, or patterns such as openai/*. Empty: all that the team may call."
        data={models.map(({ id }) => id)}
        clearable
        clearButtonProps={{ "aria-label": "Remove all models" }}
        {...form.getInputProps("models")}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="Ends"
          description="In your time zone. Empty: never."
          type="datetime-local"
          {...form.getInputProps("expiresAt")}
        />
        <TextInput
          label="Tell me at"
          description="Passing this amount is told, nothing is refused."
          inputMode="decimal"
          leftSection="$"
          placeholder="no warning"
          {...form.getInputProps("softBudget")}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label="New value every"
          description="Such as 30d or 3mo; it is picked up on this page. Empty: only by hand."
          placeholder="by hand"
          maxLength={16}
          {...form.getInputProps("rotationInterval")}
        />
        <Select
          label="The old value ends after"
          description="So that programs have time to change to the new one."
          data={gracesWith(form.values.rotationGrace)}
          disabled={form.values.rotationInterval.trim() === ""}
          allowDeselect={false}
          {...form.getInputProps("rotationGrace")}
        />
      </SimpleGrid>
      <AddressesInput
        description="Where it may be used from: 203.0.113.7 or 10.0.0.0/8. Empty: anywhere."
        {...form.getInputProps("allowedIps")}
      />
      <TagsInput label="Tags" description="For your own order among keys." {...form.getInputProps("tags")} />
    </Stack>
  );
}
