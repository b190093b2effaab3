import { Badge, Button, Card, Group, Table, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconHeartbeat } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import { AppLink } from "../../components/app-link.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { ErrorState } from "../../components/error-state.tsx";

interface Checked {
  readonly model_id: string;
  readonly model_name: string;
  readonly provider: string;
  readonly model: string;
  readonly duration_ms: number;
  readonly error?: string;
}

interface Health {
  readonly healthy_endpoints: readonly Checked[];
  readonly unhealthy_endpoints: readonly Checked[];
}

/** Calls every deployment once, when somebody asks for it. */
export function ModelChecks() {
  const [isOpen, dialog] = useDisclosure();
  const check = useMutation({
    meta: { showsError: true },
    mutationFn: () => apiGet<Health>("/health"),
    onMutate: dialog.close,
  });
  const results = check.data && [...check.data.unhealthy_endpoints, ...check.data.healthy_endpoints];
  return (
    <Card component="section" aria-label="Every deployment">
      <Group justify="space-between" mb="sm">
        <div>
          <Title order={2}>Every deployment</Title>
          <Text size="sm" c="dimmed">
            The smallest call to each of them, now.
          </Text>
        </div>
        <Button
          variant="default"
          leftSection={<IconHeartbeat size={16} />}
          loading={check.isPending}
          onClick={dialog.open}
        >
          Call them all
        </Button>
      </Group>
      {check.error && <ErrorState error={check.error} title="They could not be called" />}
      {results && <Results results={results} />}
      <ConfirmDialog
        opened={isOpen}
        onClose={dialog.close}
        title="Call every deployment once?"
        action="Call them"
        isDangerous={false}
        onConfirm={() => check.mutate()}
      >
        Providers may charge a little for it. Nobody here is charged.
      </ConfirmDialog>
    </Card>
  );
}

const Results = ({ results }: { results: readonly Checked[] }) => (
  <Table.ScrollContainer minWidth={0}>
    <Table aria-label="Answers of the deployments">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Model</Table.Th>
          <Table.Th>Answer</Table.Th>
          <Table.Th ta="right">Took</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {results.map((one) => (
          <Table.Tr key={one.model_id}>
            <Table.Td className="wraps">
              <AppLink to={`/operator/models/${encodeURIComponent(one.model_id)}`} size="sm">
                {one.model_name}
              </AppLink>
              <Text size="xs" c="dimmed">
                {one.provider}/{one.model}
              </Text>
            </Table.Td>
            <Table.Td className="wraps">
              {one.error === undefined ? (
                <Badge variant="light" tt="none">
                  well
                </Badge>
              ) : (
                one.error
              )}
            </Table.Td>
            <Table.Td ta="right">{Math.round(one.duration_ms).toLocaleString()} ms</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);
