import { Group, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CallRecord } from "../../../../src/contract/usage-records.ts";
import { apiGet } from "../../api/client.ts";
import { AppLink } from "../../components/app-link.tsx";
import { Money } from "../../components/money.tsx";
import { useOrganizationKey } from "../../session/session.ts";
import type { Timing } from "./conversation.ts";

/** A call is settled a moment after its answer. */
const FIRST_LOOK_MS = 700;
const LOOKS = 12;

/** The call as the log has it. */
function useCall(callId: string | null, isOver: boolean) {
  const key = useOrganizationKey();
  return useQuery({
    queryKey: [...key, "logs", "one", callId],
    enabled: callId !== null && isOver,
    staleTime: Number.POSITIVE_INFINITY,
    retry: (looks, error) => error.status === 404 && looks < LOOKS,
    retryDelay: 1000,
    async queryFn({ signal }) {
      await new Promise((resolve) => setTimeout(resolve, FIRST_LOOK_MS));
      return apiGet<CallRecord>(`/api/gw/logs/${callId}`, {}, signal);
    },
  });
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;

/** What an answer cost and how long it took: one line of figures, there from the beginning so that nothing jumps. */
export function AnswerFigures({ timing, isOver }: { timing: Timing; isOver: boolean }) {
  const { data, isPending } = useCall(timing.callId, isOver);
  const { firstMs, totalMs } = timing;
  const completion = timing.completionTokens ?? data?.completionTokens ?? null;
  const prompt = timing.promptTokens ?? data?.promptTokens ?? null;
  const streamMs = firstMs !== null && totalMs !== null ? totalMs - firstMs : 0;
  return (
    <Group gap="2px 16px" mih={22} className="figures" fz="sm" c="dimmed" data-testid="figures">
      {isOver && timing.callId !== null && (
        <span>
          {data ? (
            <Money nano={data.cost} fw={600} c="var(--mantine-color-text)" />
          ) : isPending ? (
            "…"
          ) : (
            "cost not known"
          )}
        </span>
      )}
      {firstMs !== null && (
        <Tooltip label="Until the first word was here, as this browser saw it">
          <span>first word {seconds(firstMs)}</span>
        </Tooltip>
      )}
      {totalMs !== null && <span>whole {seconds(totalMs)}</span>}
      {prompt !== null && completion !== null && prompt + completion > 0 && (
        <span>
          {prompt.toLocaleString()} in, {completion.toLocaleString()} out
        </span>
      )}
      {completion !== null && streamMs > 200 && (
        <span>{Math.round((completion / streamMs) * 1000).toLocaleString()} tokens/s</span>
      )}
      {data && (
        <AppLink to="/logs" search={{ call: data.id }} c="dimmed" inherit>
          in the log
        </AppLink>
      )}
      {timing.callId === null && !isOver && <Text inherit>asking …</Text>}
    </Group>
  );
}
