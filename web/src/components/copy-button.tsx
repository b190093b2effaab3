import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { IconCheck, IconCopy } from "@tabler/icons-react";

/** Copies `value`; what it is stands in `label`: "Copy the key". */
export function CopyButton({ value, label, withText = false }: { value: string; label: string; withText?: boolean }) {
  const clipboard = useClipboard({ timeout: 2000 });
  const Icon = clipboard.copied ? IconCheck : IconCopy;
  const told = clipboard.copied ? "Copied" : label;
  const copy = (): void => clipboard.copy(value);
  if (withText) {
    return (
      <Button variant="default" leftSection={<Icon size={16} />} onClick={copy}>
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
