import { Group, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CursorList, KeyApi } from "../../api/key-api.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { Facts } from "../../components/facts.tsx";
import { Money } from "../../components/money.tsx";
import { keyOf } from "./keys.ts";
import type { Run, Step } from "./records.ts";
import { endOf, isMoving, tookOf } from "./run-states.tsx";
import { StepTimeline } from "./step-timeline.tsx";

const MOVING_MS = 1500;
const STEPS = 100;
const TEXTS = "step_details.tool_calls[*].file_search.results[*].content";

/** One run: what it used and cost, and what it did. */
export function RunDetails({ api, run }: { api: KeyApi; run: Run }) {
  const steps = useQuery({
    queryKey: keyOf(api, "threads", run.thread_id, "runs", run.id, "steps", run.status),
    queryFn: ({ signal }) =>
      api.get<CursorList<Step>>(
        `/v1/threads/${run.thread_id}/runs/${run.id}/steps`,
        { order: "asc", limit: STEPS, "include[]": TEXTS },
        signal,
      ),
    placeholderData: (before) => before,
    refetchInterval: isMoving(run) ? MOVING_MS : false,
  });
  const known = steps.data?.data ?? [];
  const end = endOf(run);
  return (
    <Stack gap="md">
      <Facts
        items={[
          ["Took", end === null ? undefined : tookOf(run.created_at, end)],
          ["Tokens", run.usage ? `${run.usage.prompt_tokens} in, ${run.usage.completion_tokens} out` : undefined],
          ["Cost", run.usage ? <Money key="cost" nano={run.usage.cost_nano ?? null} /> : undefined],
          [
            "Id",
            <Group key="id" gap="xs" wrap="nowrap">
              {run.id} <CopyButton value={run.id} label="Copy the id of the run" />
            </Group>,
          ],
        ]}
      />
      {steps.error && !steps.data && <ErrorState error={steps.error} onRetry={() => void steps.refetch()} />}
      {steps.isPending && !steps.error && <Skeleton height={140} />}
      {steps.data && <StepTimeline run={run} steps={known} />}
    </Stack>
  );
}
