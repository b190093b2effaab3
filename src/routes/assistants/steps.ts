import Type from "typebox";
import type { Runs } from "../../assistants/runs.ts";
import { CursorQuery, RecordId } from "../../contract/assistants/parts.ts";
import { RESULT_TEXTS, StepAnswer } from "../../contract/assistants/runs.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { stepWire } from "./run-wire.ts";
import { CursorList, cursorOf, listWire } from "./wire.ts";

const Include = Type.Optional(Type.Array(Type.Literal(RESULT_TEXTS), { maxItems: 10 }));
const INCLUDE = { include: Include, "include[]": Include };
type Included = { readonly include?: readonly string[]; readonly "include[]"?: readonly string[] };
const wantsTexts = (query: Included): boolean => (query.include ?? query["include[]"] ?? []).includes(RESULT_TEXTS);

const shared = { method: "GET", tag: "Runs", auth: "key", success: StepAnswer } as const;
const under = (path: string) =>
  [`/v1/threads/{thread_id}/runs/{run_id}/steps${path}`, `/threads/{thread_id}/runs/{run_id}/steps${path}`] as const;

export const stepRoutes = (runs: Runs): Route[] => [
  route({
    ...shared,
    paths: under(""),
    summary: "List the steps of a run",
    params: Type.Object({ thread_id: RecordId, run_id: RecordId }),
    query: Type.Object({ ...CursorQuery.properties, ...INCLUDE }),
    success: CursorList(StepAnswer),
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { thread_id, run_id }, query }) {
      const found = await runs.listSteps(caller, thread_id, run_id, cursorOf(query));
      return json(listWire(found, stepWire(wantsTexts(query))));
    },
  }),
  route({
    ...shared,
    paths: under("/{step_id}"),
    summary: "Get a step of a run",
    params: Type.Object({ thread_id: RecordId, run_id: RecordId, step_id: RecordId }),
    query: Type.Object(INCLUDE),
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { thread_id, run_id, step_id }, query }) {
      return json(stepWire(wantsTexts(query))(await runs.getStep(caller, thread_id, run_id, step_id)));
    },
  }),
];
