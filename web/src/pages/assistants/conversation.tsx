import { Alert, Button, Center, Select, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { AppLink } from "../../components/app-link.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { useCursorQuery } from "../../components/use-cursor-query.ts";
import classes from "./assistants.module.css";
import { keyOf } from "./keys.ts";
import { LiveView, MessageView, Question } from "./message-view.tsx";
import type { Assistant, Message, Run, Thread } from "./records.ts";
import { endingOf, isActive } from "./run-states.tsx";
import { ThreadComposer } from "./thread-composer.tsx";
import { ToolOutputs } from "./tool-outputs.tsx";
import { useFollow } from "./use-follow.ts";
import { ASSISTANT, TITLE } from "./use-start-thread.ts";
import type { useThreadRun } from "./use-thread-run.ts";

interface ConversationProps {
  readonly api: KeyApi;
  readonly thread: Thread;
  readonly latest: Run | undefined;
  readonly running: ReturnType<typeof useThreadRun>;
}

const CHOICE = 100;
const TITLE_CHARS = 80;

/** What was said in a thread, what is being said, and where the person goes on. */
export function Conversation({ api, thread, latest, running }: ConversationProps) {
  const { live, error, follow, renew } = running;
  const path = `/v1/threads/${thread.id}`;
  const messages = useCursorQuery<Message>(api, {
    key: keyOf(api, "threads", thread.id, "messages"),
    path: `${path}/messages`,
  });
  const assistants = useCursorQuery<Assistant>(api, {
    key: keyOf(api, "assistants"),
    path: "/v1/assistants",
    query: { limit: CHOICE },
  });
  const [chosen, setChosen] = useState<string | null>(null);
  const known = assistants.rows ?? [];
  const wanted = chosen ?? latest?.assistant_id ?? thread.metadata[ASSISTANT];
  const assistant = known.find(({ id }) => id === wanted) ?? known[0];
  const cancel = useMutation({
    mutationFn: (runId: string) => api.post(`${path}/runs/${runId}/cancel`),
    onSuccess: () => renew(),
  });
  const send = async (text: string): Promise<boolean> => {
    if (assistant === undefined) return false;
    const said = { assistant_id: assistant.id, additional_messages: [{ role: "user", content: text }] };
    const isTaken = follow(`${path}/runs`, said, text);
    if (thread.metadata[TITLE] === undefined) {
      const metadata = { ...thread.metadata, [ASSISTANT]: assistant.id, [TITLE]: text.slice(0, TITLE_CHARS) };
      // Only a name: without it the thread is as good.
      await api.post(path, { metadata }).catch(() => undefined);
    }
    return isTaken;
  };
  const shown = (messages.rows ?? []).toReversed();
  const isShown = (id: string): boolean => shown.some((one) => one.id === id && one.content.length > 0);
  const runId = live === null ? (latest && isActive(latest) ? latest.id : null) : live.runId;
  const calls = live === null && latest?.status === "requires_action" ? latest.required_action : null;
  const ending = live === null && latest !== undefined ? endingOf(latest) : null;
  const log = useFollow();
  return (
    <section aria-label="Conversation">
      {messages.error && !messages.rows && <ErrorState error={messages.error} onRetry={messages.retry} />}
      <div
        {...log}
        className={classes.log}
        role="log"
        aria-label="Messages"
        aria-busy={live !== null}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard.
        tabIndex={0}
      >
        {messages.hasMore && (
          <Center>
            <Button variant="subtle" size="xs" loading={messages.isReadingMore} onClick={messages.readMore}>
              Show earlier ones
            </Button>
          </Center>
        )}
        {messages.rows?.length === 0 && live === null && (
          <Text c="dimmed" ta="center" my="auto">
            Nothing has been said yet. {known.length > 0 && "Write something below."}
          </Text>
        )}
        {shown
          .filter(({ content, status }) => content.length > 0 || status !== "in_progress")
          .map((message) => (
            <MessageView key={message.id} message={message} names={known} />
          ))}
        {live?.said && !isSaid(shown, live.said) && <Question text={live.said} />}
        {live && <LiveView texts={live.texts.filter(({ id }) => !isShown(id))} />}
        {calls && latest && (
          <ToolOutputs
            key={latest.id + calls.submit_tool_outputs.tool_calls[0]?.id}
            calls={calls.submit_tool_outputs.tool_calls}
            onSend={(tool_outputs) =>
              void follow(`${path}/runs/${latest.id}/submit_tool_outputs`, { tool_outputs }, null)
            }
          />
        )}
        {ending !== null && (
          <Alert color={latest?.status === "cancelled" ? "gray" : "orange"} title={titleOfEnding(latest)}>
            {ending}
          </Alert>
        )}
        {error && <ErrorState error={error} title="That could not be sent" />}
      </div>
      <Stack gap={0} className={classes.composer}>
        <ThreadComposer
          isReady={assistant !== undefined && calls === null}
          isRunning={runId !== null || live !== null}
          isCancelling={cancel.isPending || latest?.status === "cancelling"}
          onSend={send}
          onCancel={() => runId !== null && cancel.mutate(runId)}
        >
          {assistants.rows?.length === 0 ? (
            <Text size="sm">
              There is no assistant to talk to: <AppLink to="/assistants">make one</AppLink> first.
            </Text>
          ) : (
            <Select
              size="xs"
              aria-label="Assistant"
              data={known.map(({ id, name }) => ({ value: id, label: name || id }))}
              value={assistant?.id ?? null}
              onChange={setChosen}
              allowDeselect={false}
              searchable
              flex="1 1 120px"
              maw={240}
            />
          )}
        </ThreadComposer>
      </Stack>
    </section>
  );
}

const titleOfEnding = (run: Run | undefined): string =>
  run?.status === "cancelled" ? "Cancelled" : run?.status === "failed" ? "The run failed" : "The run broke off";

/** The server has it already. */
const isSaid = (shown: readonly Message[], said: string): boolean =>
  shown.findLast(({ role }) => role === "user")?.content.some(({ text }) => text?.value === said) ?? false;
