import { useQuery } from "@tanstack/react-query";
import type { CallRecord } from "../../../../src/contract/usage-records.ts";
import { apiGet } from "../../api/client.ts";
import type { KeyApi } from "../../api/key-api.ts";
import type { Paged } from "../../api/paged.ts";
import { isoOf } from "../../components/unix-time.ts";
import type { Run, Step } from "./records.ts";
import { endOf, isActive } from "./run-states.tsx";
import { costsOf } from "./step-costs.ts";

/** The log is written behind the calls. */
const TRIES = 4;
const TRY_MS = 1200;
const SLACK_S = 2;

/** What each step of a run has cost, by the id of the step. A step whose call is not in the log is not in it either. */
export function useStepCosts(api: KeyApi, run: Run, steps: readonly Step[]): ReadonlyMap<string, number> {
  const end = endOf(run);
  const counted = steps.filter(({ usage }) => usage !== null);
  const calls = useQuery({
    queryKey: ["with-key", api.keyId, "calls-of-run", run.id],
    enabled: !isActive(run) && end !== null && counted.length > 0,
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      apiGet<Paged<CallRecord>>(
        "/api/gw/logs",
        { apiKey: api.keyId, startDate: isoOf(run.created_at), endDate: isoOf((end ?? 0) + SLACK_S), pageSize: 100 },
        signal,
      ),
    refetchInterval: ({ state }) =>
      state.dataUpdateCount < TRIES && costsOf(state.data?.data ?? [], run, counted).size < counted.length
        ? TRY_MS
        : false,
  });
  return costsOf(calls.data?.data ?? [], run, counted);
}
