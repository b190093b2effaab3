import type { Query } from "../../api/client.ts";
import { viewerZone } from "../../components/format-time.ts";
import { parseUsd } from "../../components/parse-usd.ts";
import { askedRange, TIME_RANGE } from "../../components/time-range.ts";

/** Everything that the list is narrowed by; all of it stands in the address bar. `call` is the one that is open. */
export const LOG_STATE = {
  ...TIME_RANGE,
  range: "7d",
  model: "",
  key: "",
  team: "",
  member: "",
  status: "",
  type: "",
  stream: "",
  tag: "",
  user: "",
  cost: "",
  id: "",
  live: "",
  call: "",
};
export type LogState = typeof LOG_STATE;

/** As the server takes it. An id is looked for at all times. */
export function logQuery(state: LogState, teamId: string | undefined): Query {
  if (state.id.trim() !== "") return { requestId: state.id.trim() };
  const { startDate, endDate } = askedRange(state);
  return {
    startDate,
    endDate,
    tz: viewerZone(),
    model: state.model,
    apiKey: state.key,
    teamId: state.team || teamId,
    userId: state.member,
    status: state.status,
    type: state.type,
    stream: state.stream,
    tag: state.tag,
    endUser: state.user,
    minCost: state.cost === "" ? undefined : (parseUsd(state.cost) ?? undefined),
  };
}

const NARROWING = ["model", "key", "team", "member", "status", "type", "stream", "tag", "user", "cost", "id"] as const;
export const isNarrowed = (state: LogState): boolean => NARROWING.some((name) => state[name] !== "");
export const NOT_NARROWED: Partial<LogState> = Object.fromEntries(NARROWING.map((name) => [name, ""]));
