import { Button, Card, Group, Stack, Text, Title } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import type { AdminModel } from "./admin-model.ts";
import { type Connection, ConnectionResult } from "./connection-result.tsx";

export function TestCard({ model }: { model: AdminModel }) {
  const test = useMutation({
    mutationFn: () => apiPost<Connection>(`/api/admin/models/${encodeURIComponent(model.id)}/test`),
  });
  return (
    <Card component="section" aria-label="Connection">
      <Group justify="space-between" wrap="nowrap">
        <div>
          <Title order={2}>Connection</Title>
          <Text size="sm" c="dimmed">
            Sends the smallest call. The provider may charge for it; nobody here is.
          </Text>
        </div>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate()}
          miw={88}
        >
          Test
        </Button>
      </Group>
      {test.data && !test.isPending && (
        <Stack mt="md">
          <ConnectionResult result={test.data} />
        </Stack>
      )}
    </Card>
  );
}
