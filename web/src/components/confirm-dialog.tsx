import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";

interface ConfirmDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** A question: "Remove the key ci?" */
  readonly title: string;
  /** What follows from it. */
  readonly children: ReactNode;
  /** A verb: "Remove". */
  readonly action: string;
  readonly isDangerous?: boolean;
  /** For what cannot be undone at all: the person types this first. */
  readonly typed?: string;
  readonly isPending?: boolean;
  readonly onConfirm: () => void;
}

/** Asks before something that cannot be undone, or that others feel. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { opened, onClose, title, children, action, isDangerous = true, typed, isPending = false, onConfirm } = props;
  const [text, setText] = useState("");
  const close = (): void => {
    setText("");
    onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typed === undefined || text === typed) onConfirm();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit}>
        <Stack>
          <div className="wraps">{children}</div>
          {typed !== undefined && (
            <TextInput
              label={`Type ${typed} to go on`}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus={typed === undefined || undefined}>
              Cancel
            </Button>
            <Button
              type="submit"
              {...(isDangerous ? { color: "red.9" } : {})}
              loading={isPending}
              disabled={typed !== undefined && text !== typed}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
