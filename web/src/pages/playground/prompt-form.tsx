import { Autocomplete, Button, Card, Group, Stack, Textarea } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import type { CodeCall } from "../../components/call-code.ts";
import type { PlatformModel } from "../../components/use-models.ts";
import { CodeDialog } from "./code-dialog.tsx";

interface PromptFormProps {
  readonly label: string;
  readonly placeholder: string;
  readonly action: string;
  readonly models: readonly PlatformModel[];
  readonly model: string;
  readonly onModel: (model: string) => void;
  readonly isRunning: boolean;
  readonly onStart: (prompt: string) => void;
  readonly codeOf: (prompt: string) => CodeCall;
  /** Further fields. */
  readonly children: ReactNode;
}

/** Words, a model and a few parameters: what makes a picture or a voice. */
export function PromptForm(props: PromptFormProps) {
  const { label, placeholder, action, models, model, onModel, isRunning, onStart, codeOf, children } = props;
  const [prompt, setPrompt] = useState("");
  const best = models[0]?.id;
  useEffect(() => {
    if (model === "" && best !== undefined) onModel(best);
  }, [model, best, onModel]);
  return (
    <Card
      component="form"
      onSubmit={(event: React.FormEvent) => {
        event.preventDefault();
        onStart(prompt);
      }}
    >
      <Stack gap="sm">
        <Autocomplete
          label="Model"
          placeholder="Choose or type a model"
          required
          data={models.map(({ id }) => id)}
          value={model}
          onChange={onModel}
          limit={100}
        />
        <Textarea
          label={label}
          placeholder={placeholder}
          required
          autosize
          minRows={3}
          maxRows={12}
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
        />
        {children}
        <Group justify="space-between">
          <CodeDialog call={() => codeOf(prompt)} />
          <Button type="submit" loading={isRunning} disabled={prompt.trim() === "" || model === ""}>
            {action}
          </Button>
        </Group>
      </Stack>
    </Card>
  );
}
