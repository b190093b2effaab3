import { Button, Code, Group, Modal, Stack, Text } from "@mantine/core";
import type { FreshEndpointRecord } from "../../../../src/contract/purchases.ts";
import { CopyButton } from "../../components/copy-button.tsx";

/** The secret that deliveries are signed with; it is never shown again. */
export const FreshSecret = ({ made, onClose }: { made: FreshEndpointRecord | null; onClose: () => void }) => (
  <Modal
    opened={made !== null}
    onClose={onClose}
    title="The secret of this webhook"
    size="lg"
    closeOnClickOutside={false}
    closeButtonProps={{ "aria-label": "Close" }}
  >
    {made && (
      <Stack>
        <Text size="sm">
          Deliveries to <b className="wraps">{made.url}</b> are signed with it, so that your service can tell them from
          forged ones. Copy it now: it is not shown again.
        </Text>
        <Group gap="sm">
          <Code block flex="1 1 300px" miw={0} className="wraps" fz="sm">
            {made.secret}
          </Code>
          <CopyButton value={made.secret} label="Copy the secret" withText />
        </Group>
        <Group justify="flex-end">
          <Button onClick={onClose}>I have copied it</Button>
        </Group>
      </Stack>
    )}
  </Modal>
);
