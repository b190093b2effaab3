import { Badge, Box, Button, Card, Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { FreshTokenRecord, ManagementTokenRecord } from "../../../../src/contract/management-tokens.ts";
import { apiDelete, apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { RemoveButton } from "../../components/remove-button.tsx";
import { SecretDialog } from "../../components/secret-dialog.tsx";
import { Time } from "../../components/time.tsx";
import { useOrganizations } from "../../session/session.ts";
import { TOKENS_KEY, TokenDialog } from "./token-dialog.tsx";

/** Tokens by which programs manage an organization on the person's behalf. */
export function TokensCard() {
  const [isOpen, dialog] = useDisclosure();
  const [made, setMade] = useState<FreshTokenRecord | null>(null);
  const tokens = useQuery({
    queryKey: TOKENS_KEY,
    queryFn: ({ signal }) => apiGet<Paged<ManagementTokenRecord>>("/api/management-tokens", { pageSize: 100 }, signal),
  });
  return (
    <Card component="section" aria-label="Management tokens">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Management tokens</Title>
        <Button size="xs" variant="default" onClick={dialog.open}>
          New token
        </Button>
      </Group>
      <Text size="sm" c="dimmed" mb="md">
        For programs that manage one organization for you, with your role there. They call no models.
      </Text>
      {tokens.error && !tokens.data && <ErrorState error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.isPending && <Skeleton height={48} />}
      <Stack gap="md">
        {tokens.data?.data.map((token) => (
          <TokenRow key={token.id} token={token} />
        ))}
        {tokens.data?.data.length === 0 && <Text size="sm">You have none.</Text>}
      </Stack>
      {isOpen && <TokenDialog onClose={dialog.close} onMade={setMade} />}
      <FreshToken made={made} onClose={() => setMade(null)} />
    </Card>
  );
}

function TokenRow({ token }: { token: ManagementTokenRecord }) {
  const organizations = useOrganizations().data?.data ?? [];
  const organization = organizations.find(({ id }) => id === token.organizationId);
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Group gap="xs">
          <Text fw={560} className="wraps">
            {token.name}
          </Text>
          <Code>{token.maskedToken}</Code>
          {token.scopes.map((scope) => (
            <Badge key={scope} variant="light" tt="none">
              {scope}
            </Badge>
          ))}
        </Group>
        <Text size="sm" c="dimmed" mt={4} className="wraps">
          {organization?.name ?? token.organizationId} · used <Time at={token.lastUsedAt} as="ago" /> · ends{" "}
          <Time at={token.expiresAt} />
        </Text>
      </div>
      <Box flex="none">
        <RemoveButton
          name={token.name}
          what="token"
          remove={() => apiDelete(`/api/management-tokens/${token.id}`)}
          queryKey={TOKENS_KEY}
        >
          <Text size="sm">Programs that use it are refused from the next call on.</Text>
        </RemoveButton>
      </Box>
    </Group>
  );
}

const FreshToken = ({ made, onClose }: { made: FreshTokenRecord | null; onClose: () => void }) => (
  <SecretDialog secret={made?.token ?? null} title="Your token" what="token" onClose={onClose}>
    Programs send it as <Code>Authorization: Bearer</Code>. Copy it now: only its hash is kept, and it is not shown
    again.
  </SecretDialog>
);
