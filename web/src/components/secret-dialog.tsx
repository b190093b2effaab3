import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import { Secret } from "./secret.tsx";

interface SecretDialogProps {
  /** Null: nothing is shown. */
  readonly secret: string | null;
  readonly title: string;
  /** What it is called on the button, such as `token`. */
  readonly what: string;
  /** What the button says that closes it. */
  readonly done?: string;
  readonly onClose: () => void;
  /** What it is for, and that it is to be copied now. */
  readonly children: ReactNode;
}

/** A secret, this once. It closes by its buttons alone: a key that was pressed by chance must not take it away. */
export const SecretDialog = ({
  secret,
  title,
  what,
  done = "I have kept it",
  onClose,
  children,
}: SecretDialogProps) => (
  <Modal
    opened={secret !== null}
    onClose={onClose}
    title={title}
    size="lg"
    closeOnClickOutside={false}
    closeOnEscape={false}
    closeButtonProps={{ "aria-label": "Close" }}
  >
    {secret !== null && (
      <Stack>
        <Text size="sm">{children}</Text>
        <Group gap="sm">
          <Secret value={secret} />
          <CopyButton value={secret} label={`Copy the ${what}`} withText isFirst />
        </Group>
        <Group justify="flex-end">
          <Button onClick={onClose}>{done}</Button>
        </Group>
      </Stack>
    )}
  </Modal>
);
