import { Button, Code, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconTool } from "@tabler/icons-react";
import { useState } from "react";
import { prettyJson } from "../../components/pretty-json.ts";
import type { ToolCall } from "./conversation.ts";

interface ToolCallViewProps {
  readonly toolCall: ToolCall;
  /** Undefined once the call has its result. */
  readonly onResult: ((text: string) => void) | undefined;
}

/** A tool that the model wants to be called; the person answers in its place. */
export function ToolCallView({ toolCall, onResult }: ToolCallViewProps) {
  const [text, setText] = useState("");
  return (
    <Stack gap="xs" mt="sm">
      <Group gap={6}>
        <IconTool size={16} stroke={1.6} />
        <Text size="sm">
          wants <b className="wraps">{toolCall.name}</b>
        </Text>
      </Group>
      <Code block tabIndex={0}>
        {prettyJson(toolCall.input)}
      </Code>
      {onResult && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            onResult(text);
          }}
        >
          <Textarea
            label={`What ${toolCall.name} answers`}
            autosize
            minRows={1}
            maxRows={8}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" mt="xs" variant="default">
            Send the result
          </Button>
        </form>
      )}
    </Stack>
  );
}
