import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";

interface CopyButtonProps {
  readonly value: string;
  /** What it is: "Copy the key". */
  readonly label: string;
  readonly withText?: boolean;
  /** In a dialog: where the focus begins, so that a key pressed too often copies again and closes nothing. */
  readonly isFirst?: boolean;
}

export function CopyButton({ value, label, withText = false, isFirst = false }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 2000 });
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  const told = clipboard.copied ? "Copied" : label;
  const copy = (): void => clipboard.copy(value);
  if (withText) {
    return (
      <Button variant="default" leftSection={<Icon size={16} />} onClick={copy} data-autofocus={isFirst || undefined}>
        {told}
      </Button>
    );
  }
  return (
    <Tooltip label={told}>
      <ActionIcon variant="subtle" color={clipboard.copied ? "pine" : "gray"} onClick={copy} aria-label={told}>
        <Icon size={16} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}
