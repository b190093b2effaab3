import { Alert, Button, Group, Modal, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { FreshKeyRecord } from "../../../../src/contract/keys.ts";
import { ButtonLink } from "../../components/button-link.tsx";
import { CallSnippets } from "../../components/call-snippets.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { Secret } from "../../components/secret.tsx";
import { Time } from "../../components/time.tsx";
import { useModels } from "../../components/use-models.ts";

/** The value of a key, this once, with code that calls a model with it. */
export const FreshKey = ({ shown, onClose }: { shown: FreshKeyRecord | null; onClose: () => void }) => (
  <Modal
    opened={shown !== null}
    onClose={onClose}
    title="Your key"
    size="xl"
    closeOnClickOutside={false}
    closeOnEscape={false}
    closeButtonProps={{ "aria-label": "Close" }}
  >
    {shown && <Contents shown={shown} onClose={onClose} />}
  </Modal>
);

function Contents({ shown, onClose }: { shown: FreshKeyRecord; onClose: () => void }) {
  const models = useModels().data ?? [];
  const chats = models.filter(({ type }) => type === "chat");
  const model = chats.find(({ id }) => shown.models.length === 0 || shown.models.includes(id))?.id;
  const body = {
    model: model ?? shown.models[0] ?? "MODEL",
    messages: [{ role: "user", content: "Hello!" }],
    stream: true,
  };
  return (
    <Stack>
      <Alert color="yellow" icon={<IconAlertTriangle size={18} />} title="It is shown this once">
        <Text size="sm">Only its hash is kept. Copy the key now and keep it where you keep secrets.</Text>
        {shown.previousValidUntil != null && (
          <Text size="sm">
            The value before works until <Time at={shown.previousValidUntil} />.
          </Text>
        )}
      </Alert>
      <Group gap="sm">
        <Secret value={shown.key} />
        <CopyButton value={shown.key} label="Copy the key" withText isFirst />
      </Group>
      <Title order={2} mt="sm">
        Call a model with it
      </Title>
      <CallSnippets call={{ kind: "chat", body }} apiKey={shown.key} />
      <Group justify="flex-end">
        <ButtonLink to="/playground" search={{ key: shown.id }} variant="default">
          Try it in the playground
        </ButtonLink>
        <Button onClick={onClose}>I have kept it</Button>
      </Group>
    </Stack>
  );
}
