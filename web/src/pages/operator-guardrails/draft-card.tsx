import {
  Button,
  Card,
  Checkbox,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  Title,
} from "@mantine/core";
import { CodeBlock } from "../../components/code-block.tsx";
import { canMask, type Draft, ENTITIES, KINDS, type Kind, MODES, type Mode, readSchema, yamlOf } from "./guardrail.ts";

interface DraftCardProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onClose: () => void;
}

const choices = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** Writes an entry of the configuration file. Nothing is stored: it counts when it stands in the file. */
export function DraftCard({ draft, onChange, onClose }: DraftCardProps) {
  const set = (changes: Partial<Draft>): void => onChange({ ...draft, ...changes });
  return (
    <Card component="section" aria-label="Write a guardrail">
      <Group justify="space-between" mb="md">
        <Title order={2}>Write a guardrail</Title>
        <Button variant="subtle" onClick={onClose}>
          Leave it
        </Button>
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack>
          <TextInput
            label="Name"
            maxLength={100}
            value={draft.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <Select
            label="Looks for"
            data={choices(KINDS)}
            value={draft.kind}
            onChange={(kind) => set({ kind: (kind ?? "pii") as Kind, entities: [] })}
            allowDeselect={false}
          />
          <KindFields draft={draft} set={set} />
          {draft.kind !== "json_schema" && (
            <MultiSelect
              label="When"
              data={choices(MODES)}
              value={draft.modes}
              onChange={(modes) => set({ modes: modes.length === 0 ? ["pre_call"] : (modes as Mode[]) })}
            />
          )}
          {canMask(draft.kind) && (
            <Select
              label="Then"
              data={[
                { value: "mask", label: "mask it" },
                { value: "block", label: "refuse the call" },
              ]}
              value={draft.action}
              onChange={(action) => set({ action: action === "block" ? "block" : "mask" })}
              allowDeselect={false}
            />
          )}
          <Checkbox
            label="For every call"
            description="Else for calls, keys and teams that name it."
            checked={draft.defaultOn}
            onChange={(event) => set({ defaultOn: event.currentTarget.checked })}
          />
        </Stack>
        <Stack gap="xs">
          <Text size="sm" fw={560}>
            For the configuration file
          </Text>
          <CodeBlock code={yamlOf(draft)} label="Copy the entry" />
          <Text size="sm" c="dimmed">
            Try it below. Put it into the file under guardrails, and read the configuration again: running calls are not
            touched.
          </Text>
        </Stack>
      </SimpleGrid>
    </Card>
  );
}

function KindFields({ draft, set }: { draft: Draft; set: (changes: Partial<Draft>) => void }) {
  const entities = ENTITIES[draft.kind];
  if (entities) {
    return (
      <MultiSelect
        label="Of these"
        placeholder={draft.entities.length === 0 ? "All of them" : ""}
        data={[...entities]}
        value={draft.entities}
        onChange={(chosen) => set({ entities: chosen })}
        clearable
      />
    );
  }
  switch (draft.kind) {
    case "regex":
      return (
        <Textarea
          label="Patterns"
          description="One on each line, in RE2's syntax."
          autosize
          minRows={3}
          value={draft.patterns}
          onChange={(event) => set({ patterns: event.currentTarget.value })}
        />
      );
    case "word_list":
      return (
        <>
          <Textarea
            label="Words and phrases"
            description="One on each line, without regard to case."
            autosize
            minRows={3}
            value={draft.words}
            onChange={(event) => set({ words: event.currentTarget.value })}
          />
          <Checkbox
            label="Only as whole words"
            checked={draft.wholeWords}
            onChange={(event) => set({ wholeWords: event.currentTarget.checked })}
          />
        </>
      );
    case "prompt_length":
      return (
        <NumberInput
          label="At most so many characters"
          min={1}
          thousandSeparator=","
          value={draft.maxCharacters}
          onChange={(maxCharacters) => set({ maxCharacters })}
        />
      );
    default:
      return (
        <Textarea
          label="Schema"
          description="JSON; answers have to fit it."
          autosize
          minRows={4}
          ff="monospace"
          value={draft.schema}
          error={readSchema(draft.schema) === null ? "This is no JSON yet." : null}
          onChange={(event) => set({ schema: event.currentTarget.value })}
        />
      );
  }
}
