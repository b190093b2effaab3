import { Button, Code, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconTool } from "@tabler/icons-react";
import { useState } from "react";
import { prettyJson } from "../../components/pretty-json.ts";
import type { FunctionCall } from "./records.ts";

interface ToolOutputsProps {
  readonly calls: readonly FunctionCall[];
  readonly onSend: (outputs: readonly { readonly tool_call_id: string; readonly output: string }[]) => void;
}

/** Functions that the model wants to be called; the person answers in their place, all at once. */
export function ToolOutputs({ calls, onSend }: ToolOutputsProps) {
  const [outputs, setOutputs] = useState<Readonly<Record<string, string>>>({});
  return (
    <form
      aria-label="Results of functions"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(calls.map(({ id }) => ({ tool_call_id: id, output: outputs[id] ?? "" })));
      }}
    >
      <Stack gap="md">
        {calls.map(({ id, function: called }) => (
          <Stack key={id} gap="xs">
            <Group gap={6}>
              <IconTool size={16} stroke={1.6} />
              <Text size="sm">
                wants <b className="wraps">{called.name}</b>
              </Text>
            </Group>
            <Code block tabIndex={0}>
              {prettyJson(called.arguments)}
            </Code>
            <Textarea
              label={`What ${called.name} answers`}
              autosize
              minRows={1}
              maxRows={8}
              value={outputs[id] ?? ""}
              onChange={(event) => setOutputs({ ...outputs, [id]: event.currentTarget.value })}
            />
          </Stack>
        ))}
        <Group>
          <Button type="submit" size="xs">
            {calls.length === 1 ? "Send the result" : "Send the results"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
