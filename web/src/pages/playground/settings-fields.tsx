import { Button, NumberInput, Select, SimpleGrid, Stack, Switch, TagsInput, Textarea } from "@mantine/core";
import { EXAMPLE_TOOLS, faultOfTools } from "../../components/tools-json.ts";
import type { ChatSettings } from "./chat-settings.ts";

interface SettingsFieldsProps {
  readonly settings: ChatSettings;
  readonly onChange: (changes: Partial<ChatSettings>) => void;
}

const EFFORTS = ["minimal", "low", "medium", "high"];

/** Parameters of the next question, for all models alike. What is empty is left to the model. */
export function SettingsFields({ settings, onChange }: SettingsFieldsProps) {
  const number = (name: "temperature" | "topP" | "maxTokens" | "frequencyPenalty" | "presencePenalty" | "seed") => ({
    value: settings[name],
    onChange: (value: number | string) => onChange({ [name]: value }),
    placeholder: "default",
  });
  return (
    <Stack gap="sm">
      <Textarea
        label="System"
        placeholder="How the model should behave"
        autosize
        minRows={2}
        maxRows={10}
        value={settings.system}
        onChange={(event) => onChange({ system: event.currentTarget.value })}
      />
      <SimpleGrid cols={2} spacing="sm">
        <NumberInput label="Temperature" min={0} max={2} step={0.1} {...number("temperature")} />
        <NumberInput label="Top P" min={0} max={1} step={0.05} {...number("topP")} />
        <NumberInput label="Tokens at most" min={1} allowDecimal={false} {...number("maxTokens")} />
        <NumberInput label="Seed" allowDecimal={false} {...number("seed")} />
        <NumberInput label="Frequency" min={-2} max={2} step={0.1} {...number("frequencyPenalty")} />
        <NumberInput label="Presence" min={-2} max={2} step={0.1} {...number("presencePenalty")} />
      </SimpleGrid>
      <TagsInput
        label="Stop at"
        placeholder={settings.stop.length === 0 ? "a word or a sign" : ""}
        maxTags={4}
        value={[...settings.stop]}
        onChange={(stop) => onChange({ stop })}
      />
      <Select
        label="Reasoning"
        data={[{ value: "", label: "model's default" }, ...EFFORTS]}
        value={settings.effort}
        onChange={(effort) => onChange({ effort: effort ?? "" })}
        allowDeselect={false}
      />
      <Switch
        label="Stream the answer"
        checked={settings.isStreamed}
        onChange={(event) => onChange({ isStreamed: event.currentTarget.checked })}
      />
      <Switch
        label="Answer in JSON"
        checked={settings.isJson}
        onChange={(event) => onChange({ isJson: event.currentTarget.checked })}
      />
      <Textarea
        label="Tools"
        description="A list, as the API takes it. You answer in their place."
        autosize
        minRows={2}
        maxRows={14}
        value={settings.tools}
        error={faultOfTools(settings.tools)}
        onChange={(event) => onChange({ tools: event.currentTarget.value })}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } }}
      />
      {settings.tools === "" && (
        <Button variant="default" size="xs" onClick={() => onChange({ tools: EXAMPLE_TOOLS })}>
          Put an example in
        </Button>
      )}
    </Stack>
  );
}
