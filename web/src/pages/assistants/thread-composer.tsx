import { Button, Group } from "@mantine/core";
import { IconPlayerStop, IconSend } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { MessageField } from "../../components/message-field.tsx";

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

/** Where people write to an assistant, and end what it does. */
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
      <MessageField value={text} placeholder="Write to the assistant" onChange={setText} onSend={() => void send()} />
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
