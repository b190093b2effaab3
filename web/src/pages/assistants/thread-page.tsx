import { Button, Grid, Skeleton } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { KeyedPage } from "../../components/keyed-page.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { isMissing, ThingFailed } from "../../components/thing-failed.tsx";
import { useCursorQuery } from "../../components/use-cursor-query.ts";
import { Conversation } from "./conversation.tsx";
import { keyOf } from "./keys.ts";
import { OtherTeam } from "./other-team.tsx";
import type { Run, Thread } from "./records.ts";
import { RemoveDialog } from "./remove-dialog.tsx";
import { isActive, isMoving } from "./run-states.tsx";
import { RunsPanel } from "./runs-panel.tsx";
import { titleOf } from "./use-start-thread.ts";
import { useThreadRun } from "./use-thread-run.ts";

const MOVING_MS = 1500;
const WAITING_MS = 5000;

const BACK = { to: "/threads", words: "All threads" };

export default function ThreadPage() {
  const { threadId = "" } = useParams({ strict: false }) as { threadId?: string };
  return (
    <KeyedPage title="Thread">
      {(api, choice) => <ThreadView key={threadId + api.keyId} api={api} choice={choice} threadId={threadId} />}
    </KeyedPage>
  );
}

interface ThreadViewProps {
  readonly api: KeyApi;
  readonly choice: ReactNode;
  readonly threadId: string;
}

function ThreadView({ api, choice, threadId }: ThreadViewProps) {
  const navigate = useNavigate();
  const [isGoing, setGoing] = useState(false);
  const path = `/v1/threads/${encodeURIComponent(threadId)}`;
  const thread = useQuery({
    queryKey: keyOf(api, "threads", threadId),
    queryFn: ({ signal }) => api.get<Thread>(path, {}, signal),
  });
  const running = useThreadRun(api, threadId);
  const runs = useCursorQuery<Run>(api, {
    key: keyOf(api, "threads", threadId, "runs"),
    path: `${path}/runs`,
    refetchMs: ([latest]) => (isMoving(latest) ? MOVING_MS : isActive(latest) ? WAITING_MS : false),
  });
  const latest = runs.rows?.[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was said is read once the run has come further.
  useEffect(() => void running.renew("messages"), [latest?.id, latest?.status]);
  if (isMissing(thread)) {
    return (
      <ThingFailed query={thread} title="Thread" back={BACK} actions={choice}>
        <OtherTeam hasChoice={choice !== null} />
      </ThingFailed>
    );
  }
  return (
    <>
      <PageHeader
        back={BACK}
        title={thread.data ? titleOf(thread.data) : <Skeleton height={30} width={240} />}
        about={threadId}
        actions={
          <>
            {choice}
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} />}
              onClick={() => setGoing(true)}
            >
              Delete
            </Button>
          </>
        }
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          {thread.data ? (
            <Conversation api={api} thread={thread.data} latest={latest} running={running} />
          ) : (
            <Skeleton height={360} />
          )}
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <RunsPanel api={api} runs={runs} />
        </Grid.Col>
      </Grid>
      <RemoveDialog
        api={api}
        target={isGoing ? { path, name: "this thread" } : null}
        lists={["threads"]}
        onClose={() => setGoing(false)}
        onDone={() => void navigate({ to: "/threads" })}
      >
        Its messages, its runs and their steps go for good.
      </RemoveDialog>
    </>
  );
}
