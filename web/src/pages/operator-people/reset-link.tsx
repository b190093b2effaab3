import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { CodeBlock } from "../../components/code-block.tsx";
import { Time } from "../../components/time.tsx";

export interface ResetLinkMade {
  readonly resetUrl: string;
  readonly expiresAt: string;
}

interface ResetLinkProps {
  readonly link: ResetLinkMade | null;
  readonly name: string;
  readonly onClose: () => void;
}

/** Shown this once: nobody can read it again. */
export const ResetLink = ({ link, name, onClose }: ResetLinkProps) => (
  <Modal
    opened={link !== null}
    onClose={onClose}
    title={`A link for ${name}`}
    closeButtonProps={{ "aria-label": "Close" }}
    size="lg"
  >
    {link && (
      <Stack>
        <Text size="sm">
          Hand it over in a way that only they can read. It is good once, until <Time at={link.expiresAt} />, and is not
          shown again. Their password stays until it is used.
        </Text>
        <CodeBlock code={link.resetUrl} label="Copy the link" />
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    )}
  </Modal>
);
