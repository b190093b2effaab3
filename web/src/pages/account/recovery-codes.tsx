import { Button, Code, Group, Modal, SimpleGrid, Stack, Text } from "@mantine/core";
import { CopyButton } from "../../components/copy-button.tsx";

/** Shown this once. */
export const RecoveryCodes = ({ codes, onClose }: { codes: readonly string[] | null; onClose: () => void }) => (
  <Modal
    opened={codes !== null}
    onClose={onClose}
    title="Recovery codes"
    closeOnClickOutside={false}
    closeButtonProps={{ "aria-label": "Close" }}
  >
    <Stack>
      <Text size="sm">
        Each is good once in place of a code of the app. Keep them where you keep passwords; they are shown this once.
      </Text>
      <SimpleGrid cols={2} spacing="xs">
        {codes?.map((code) => (
          <Code key={code} ta="center" fz="sm">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <Group justify="flex-end">
        <CopyButton value={codes?.join("\n") ?? ""} label="Copy them" withText />
        <Button onClick={onClose}>I have kept them</Button>
      </Group>
    </Stack>
  </Modal>
);
