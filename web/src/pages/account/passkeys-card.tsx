import { Button, Card, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { PasskeyRecord } from "../../../../src/contract/passkeys.ts";
import { apiDelete, apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { hasPasskeys } from "../../components/passkey-device.ts";
import { RemoveButton } from "../../components/remove-button.tsx";
import { Time } from "../../components/time.tsx";
import { PASSKEYS_KEY, PasskeyDialog } from "./passkey-dialog.tsx";
import { PasskeyRename } from "./passkey-rename.tsx";

/** Devices that log in for the person. */
export function PasskeysCard() {
  const [isOpen, dialog] = useDisclosure();
  const [renamed, setRenamed] = useState<PasskeyRecord | null>(null);
  const passkeys = useQuery({
    queryKey: PASSKEYS_KEY,
    queryFn: ({ signal }) => apiGet<Paged<PasskeyRecord>>("/api/auth/passkeys", { pageSize: 100 }, signal),
  });
  return (
    <Card component="section" aria-label="Passkeys">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Passkeys</Title>
        {hasPasskeys() && (
          <Button size="xs" variant="default" onClick={dialog.open}>
            Add a passkey
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed" mb="md">
        A finger, a face or the PIN of a device in place of your password and a code.
        {!hasPasskeys() && ` ${NOT_HERE}`}
      </Text>
      {passkeys.error && !passkeys.data && (
        <ErrorState error={passkeys.error} onRetry={() => void passkeys.refetch()} />
      )}
      {passkeys.isPending && <Skeleton height={48} />}
      <Stack gap="md">
        {passkeys.data?.data.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} onRename={() => setRenamed(passkey)} />
        ))}
        {passkeys.data?.data.length === 0 && <Text size="sm">You have none.</Text>}
      </Stack>
      {isOpen && <PasskeyDialog onClose={dialog.close} />}
      {renamed && <PasskeyRename passkey={renamed} onClose={() => setRenamed(null)} />}
    </Card>
  );
}

const NOT_HERE =
  "This browser makes none here: they need an address with a name and with https://, or http://localhost on the server's own machine.";

function PasskeyRow({ passkey, onRename }: { passkey: PasskeyRecord; onRename: () => void }) {
  const isElsewhere = passkey.host !== window.location.hostname;
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text fw={560} className="wraps">
          {passkey.name}
        </Text>
        <Text size="sm" c="dimmed" className="wraps">
          since <Time at={passkey.createdAt} as="day" /> · used <Time at={passkey.lastUsedAt} as="ago" />
          {isElsewhere && ` · good at ${passkey.host}`}
        </Text>
      </div>
      <Group gap="xs" flex="none" justify="flex-end">
        <Button size="xs" variant="default" onClick={onRename} aria-label={`Rename ${passkey.name}`}>
          Rename
        </Button>
        <RemoveButton
          name={passkey.name}
          what="passkey"
          remove={() => apiDelete(`/api/auth/passkeys/${passkey.id}`)}
          queryKey={PASSKEYS_KEY}
        >
          <Text size="sm">
            Nobody logs in with it from then on. Sessions that it has opened go on; end them below. Remove it on the
            device, too.
          </Text>
        </RemoveButton>
      </Group>
    </Group>
  );
}
