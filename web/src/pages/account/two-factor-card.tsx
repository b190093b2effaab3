import { Badge, Button, Card, Group, Text, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { apiPost } from "../../api/client.ts";
import { useSignedIn } from "../../session/session.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";
import { type ProvenAction, TwoFactorProof } from "./two-factor-proof.tsx";
import { type Secret, TwoFactorSetup } from "./two-factor-setup.tsx";

export function TwoFactorCard() {
  const { user } = useSignedIn();
  const [secret, setSecret] = useState<Secret | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [action, setAction] = useState<ProvenAction | null>(null);
  const begin = useMutation({ mutationFn: () => apiPost<Secret>("/api/auth/2fa/setup"), onSuccess: setSecret });
  return (
    <Card component="section" aria-label="Second factor">
      <Group justify="space-between" mb={4}>
        <Title order={2}>Second factor</Title>
        <Badge variant="light" color={user.twoFactorEnabled ? "pine" : "gray"}>
          {user.twoFactorEnabled ? "on" : "off"}
        </Badge>
      </Group>
      <Text c="dimmed" size="sm" mb="md">
        A code of an app on your phone, beside the password.
      </Text>
      {user.twoFactorEnabled ? (
        <Group>
          <Button variant="default" onClick={() => setAction("renew")}>
            New recovery codes
          </Button>
          <Button variant="default" c="var(--mantine-color-error)" onClick={() => setAction("disable")}>
            Switch it off
          </Button>
        </Group>
      ) : (
        <Group>
          <Button loading={begin.isPending} onClick={() => begin.mutate()}>
            Switch it on
          </Button>
        </Group>
      )}
      <TwoFactorSetup secret={secret} onClose={() => setSecret(null)} onDone={setCodes} />
      <TwoFactorProof action={action} onClose={() => setAction(null)} onCodes={setCodes} />
      <RecoveryCodes codes={codes} onClose={() => setCodes(null)} />
    </Card>
  );
}
