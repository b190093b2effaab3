import { Checkbox, MultiSelect, NumberInput, Textarea, TextInput } from "@mantine/core";
import { type Draft, ENTITIES, readSchema } from "./guardrail.ts";

/** What a kind of guardrail has to know. */
export function KindFields({ draft, set }: { draft: Draft; set: (changes: Partial<Draft>) => void }) {
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
    case "moderation":
      return (
        <TextInput
          label="Model"
          description="A moderation model of this gateway. Its calls are charged to nobody."
          value={draft.model}
          onChange={(event) => set({ model: event.currentTarget.value })}
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
