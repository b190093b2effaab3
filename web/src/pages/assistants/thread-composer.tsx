import { Button, Group, Textarea } from "@mantine/core";
import { IconPlayerStop, IconSend } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

interface ThreadComposerProps {
  readonly isReady: boolean;
  readonly isRunning: boolean;
  readonly isCancelling: boolean;
  /** Whether it was taken; what was not comes back into the field. */
  readonly onSend: (text: string) => Promise<boolean>;
  readonly onCancel: () => void;
  /** Who is written to. */
  readonly children: ReactNode;
}

/** Where people write. Enter sends, Shift and Enter begin a new line. */
export function ThreadComposer({ isReady, isRunning, isCancelling, onSend, onCancel, children }: ThreadComposerProps) {
  const [text, setText] = useState("");
  const isEmpty = text.trim() === "";
  const send = async (): Promise<void> => {
    if (isEmpty || isRunning || !isReady) return;
    setText("");
    if (!(await onSend(text))) setText((since) => since || text);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <Textarea
        aria-label="Message"
        placeholder="Write to the assistant"
        autosize
        minRows={1}
        maxRows={10}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void send();
        }}
      />
      <Group justify="space-between" mt="xs" gap="xs" wrap="nowrap">
        {children}
        {isRunning ? (
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={16} />}
            loading={isCancelling}
            onClick={onCancel}
          >
            Cancel the run
          </Button>
        ) : (
          <Button type="submit" leftSection={<IconSend size={16} />} disabled={isEmpty || !isReady}>
            Send
          </Button>
        )}
      </Group>
    </form>
  );
}
