import { Badge, Button, Card, Group, Skeleton, Stack, Table, Text } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { CredentialForm } from "./credential-form.tsx";
import { RemoveCredential } from "./remove-credential.tsx";
import { type ProviderCredential, useProviders } from "./use-providers.ts";

export default function CredentialsPage() {
  const { data, error, refetch } = useProviders();
  const [edited, setEdited] = useState<ProviderCredential | "new" | null>(null);
  const credentials = data?.flatMap((provider) => provider.credentials);
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited("new")}>
      Keep a credential
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Credentials"
        about="Keys and addresses that several models share. They are kept sealed and never shown again."
        actions={add}
      />
      {error && !credentials && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!credentials && !error && <Skeleton height={200} />}
      {credentials && (
        <Card p={0}>
          {credentials.length === 0 ? (
            <EmptyState icon={IconKey} title="No credentials yet" action={add}>
              Keep the key of a provider here, and choose it when you add a model. A new key is then set in one place.
            </EmptyState>
          ) : (
            <CredentialTable credentials={credentials} onEdit={setEdited} />
          )}
        </Card>
      )}
      <CredentialForm edited={edited} onClose={() => setEdited(null)} />
    </>
  );
}

interface CredentialTableProps {
  readonly credentials: readonly ProviderCredential[];
  readonly onEdit: (credential: ProviderCredential) => void;
}

const CredentialTable = ({ credentials, onEdit }: CredentialTableProps) => (
  <Table.ScrollContainer minWidth={0}>
    <Table aria-label="Credentials">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th visibleFrom="sm">Holds</Table.Th>
          <Table.Th visibleFrom="xs">Used by</Table.Th>
          <Table.Th visibleFrom="md">Changed</Table.Th>
          <Table.Th>
            <ActionsHeader />
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {credentials.map((one) => (
          <Table.Tr key={one.name}>
            <Table.Td>
              <Stack gap={0}>
                <Text size="sm" fw={560} className="wraps">
                  {one.name}
                </Text>
                <Text size="xs" c="dimmed">
                  {one.provider ?? "any provider"}
                </Text>
              </Stack>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Group gap={6}>
                {Object.keys(one.values).map((name) => (
                  <Badge key={name} variant="light" color="gray" tt="none">
                    {name}
                  </Badge>
                ))}
              </Group>
            </Table.Td>
            <Table.Td visibleFrom="xs" className="wraps">
              {one.usedBy.join(", ") || "nobody"}
            </Table.Td>
            <Table.Td visibleFrom="md">
              {one.source === "configuration" ? "in the file" : <Time at={one.updatedAt} as="day" />}
            </Table.Td>
            <Table.Td>
              {one.source === "database" && (
                <Group gap="xs" justify="flex-end" wrap="nowrap">
                  <Button size="xs" variant="default" onClick={() => onEdit(one)} aria-label={`Change ${one.name}`}>
                    Change
                  </Button>
                  <RemoveCredential credential={one} />
                </Group>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);
