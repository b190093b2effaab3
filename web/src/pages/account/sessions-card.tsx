import { Badge, Button, Card, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { apiDelete, apiGet } from "../../api/client.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { notifyDone } from "../../components/notify.ts";
import { Time } from "../../components/time.tsx";
import { nameOfBrowser } from "./name-of-browser.ts";

interface Session {
  readonly id: string;
  readonly current: boolean;
  /** An administrator sees the pages as this user. */
  readonly byAdministrator: boolean;
  readonly userAgent: string;
  readonly address: string | null;
  readonly createdAt: string;
  readonly lastSeenAt: string;
}

const KEY = ["sessions"] as const;

export function SessionsCard() {
  const sessions = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => apiGet<{ data: Session[] }>("/api/auth/sessions", { pageSize: 100 }, signal),
  });
  return (
    <Card component="section" aria-label="Sessions">
      <Title order={2} mb="md">
        Sessions
      </Title>
      {sessions.error && !sessions.data && (
        <ErrorState error={sessions.error} onRetry={() => void sessions.refetch()} />
      )}
      <Stack gap="md">
        {sessions.data?.data.map((session) => <SessionRow key={session.id} session={session} />) ?? (
          <Skeleton height={48} />
        )}
      </Stack>
    </Card>
  );
}

function SessionRow({ session }: { session: Session }) {
  const client = useQueryClient();
  const end = useMutation({
    mutationFn: () => apiDelete(`/api/auth/sessions/${session.id}`),
    onSuccess() {
      notifyDone("The session has ended.");
      return client.invalidateQueries({ queryKey: KEY });
    },
  });
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Group gap="xs">
          <Text fw={560} title={session.userAgent}>
            {session.byAdministrator ? "An administrator, as you" : nameOfBrowser(session.userAgent)}
          </Text>
          {session.current && <Badge variant="light">this one</Badge>}
        </Group>
        <Text size="sm" c="dimmed">
          {session.byAdministrator ? (
            <>
              only looks · since <Time at={session.createdAt} as="ago" />
            </>
          ) : (
            <>
              {session.address ?? "address not known"} · seen <Time at={session.lastSeenAt} as="ago" /> · since{" "}
              <Time at={session.createdAt} as="day" />
            </>
          )}
        </Text>
      </div>
      {!session.current && (
        <Button variant="default" size="xs" flex="none" loading={end.isPending} onClick={() => end.mutate()}>
          End
        </Button>
      )}
    </Group>
  );
}
