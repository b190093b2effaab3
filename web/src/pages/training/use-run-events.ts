import { useEffect, useState } from "react";
import type { RoundView, RunRecord } from "../../../../src/contract/training.ts";
import { call } from "../../api/client.ts";
import { readEvents } from "../../api/read-events.ts";
import { isEnded } from "./run-badge.tsx";

type Status = RunRecord["status"];

export interface RunEvents {
  /** Null before anything has come. */
  readonly status: Status | null;
  readonly reason: string | null;
  /** From the first on. */
  readonly rounds: readonly RoundView[];
}

interface StatusEvent extends Pick<RunEvents, "status" | "reason"> {
  /** The last round that a rollback left. */
  readonly returnedTo?: number;
}

const NOTHING: RunEvents = { status: null, reason: null, rounds: [] };
const AGAIN_MS = 1_500;
/** A long run has thousands of rounds, which come at once: to draw the page for each would keep it busy for many seconds. */
const SHOW_MS = 100;

/** Everything that has happened in a run, and what happens now. A stream that ends early is taken up where it ended. */
export function useRunEvents(runId: string, rollbacks: number): RunEvents {
  const [events, setEvents] = useState(NOTHING);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a rollback continues a run whose stream has ended.
  useEffect(() => {
    setEvents(NOTHING);
    const aborter = new AbortController();
    void follow(runId, aborter.signal, setEvents);
    return () => aborter.abort();
  }, [runId, rollbacks]);
  return events;
}

async function follow(runId: string, signal: AbortSignal, show: (events: RunEvents) => void): Promise<void> {
  let seen = 0;
  let now = NOTHING;
  const rounds: RoundView[] = [];
  let isShownSoon = false;
  const showSoon = (): void => {
    if (isShownSoon) return;
    isShownSoon = true;
    setTimeout(() => {
      isShownSoon = false;
      if (!signal.aborted) show({ ...now, rounds: [...rounds] });
    }, SHOW_MS);
  };
  while (!isOver(now) && !signal.aborted) {
    try {
      const headers = { "last-event-id": String(seen) };
      const response = await call("GET", `/api/training/runs/${runId}/events`, { headers, signal });
      for await (const { name, data } of readEvents(response)) {
        // Events are numbered without gaps, so counting them is knowing their numbers.
        seen++;
        if (name === "round") rounds.push(JSON.parse(data) as RoundView);
        else {
          const { status, reason, returnedTo } = JSON.parse(data) as StatusEvent;
          now = { ...now, status, reason };
          if (returnedTo !== undefined) rounds.length = Math.min(rounds.length, returnedTo);
        }
        showSoon();
      }
    } catch {
      // What cannot be read is told by the page's other questions; this one is asked again.
    }
    if (!isOver(now) && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

const isOver = ({ status }: RunEvents): boolean => status !== null && isEnded(status);
