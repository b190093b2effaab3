import Type from "typebox";
import type { NewRun, Runs } from "../../assistants/runs.ts";
import { CursorQuery, RecordId } from "../../contract/assistants/parts.ts";
import {
  CreateRun,
  CreateThreadAndRun,
  RunAnswer,
  SubmitToolOutputs,
  UpdateRun,
} from "../../contract/assistants/runs.ts";
import { type ErrorKind, GatewayError } from "../../contract/errors.ts";
import { KEYS_OWN, rejectRequestGuardrails } from "../../gateway/guardrails/refuse-named.ts";
import { json } from "../../http/reply.ts";
import { type Context, type Route, route } from "../../http/route.ts";
import { sourceOf } from "../files/source-of.ts";
import { streamRun } from "./run-stream.ts";
import { runWire } from "./run-wire.ts";
import { newThread } from "./threads.ts";
import { CursorList, cursorOf, listWire, saidMessage } from "./wire.ts";

const ofThread = Type.Object({ thread_id: RecordId });
const ofRun = Type.Object({ thread_id: RecordId, run_id: RecordId });
const shared = { tag: "Runs", auth: "key", success: RunAnswer } as const;
const START_ERRORS: readonly ErrorKind[] = [
  "invalid_request",
  "permission",
  "team_blocked",
  "not_found",
  "model_not_found",
];

const under = (path: string) => [`/v1/threads${path}`, `/threads${path}`] as const;

export const runRoutes = (runs: Runs): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: under("/{thread_id}/runs"),
    summary: "Run an assistant on a thread",
    description:
      "Answers at once with a run that is `queued`; with `stream: true` the answer is a stream of events. Its calls of the " +
      "model count against the key, as chat calls do.",
    params: ofThread,
    body: CreateRun,
    stored: true,
    errors: START_ERRORS,
    async handle(context) {
      const { caller, body, params, connection } = context;
      const given = newRun(context, body);
      const { thread_id } = params;
      if (body.stream) return streamRun(connection, (watch) => runs.create(caller, thread_id, given, watch));
      return json(runWire(await runs.create(caller, thread_id, given)));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: under("/runs"),
    summary: "Create a thread and run an assistant on it",
    body: CreateThreadAndRun,
    stored: true,
    errors: START_ERRORS,
    async handle(context) {
      const { caller, body, connection } = context;
      const given = { ...newRun(context, body), toolResources: body.tool_resources ?? null };
      const thread = newThread(body.thread ?? {});
      if (body.stream) return streamRun(connection, (watch) => runs.createWithThread(caller, thread, given, watch));
      return json(runWire(await runs.createWithThread(caller, thread, given)));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: under("/{thread_id}/runs"),
    summary: "List the runs of a thread",
    params: ofThread,
    query: CursorQuery,
    success: CursorList(RunAnswer),
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { thread_id }, query }) {
      return json(listWire(await runs.list(caller, thread_id, cursorOf(query)), runWire));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: under("/{thread_id}/runs/{run_id}"),
    summary: "Get a run",
    params: ofRun,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { thread_id, run_id } }) {
      return json(runWire(await runs.get(caller, thread_id, run_id)));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: under("/{thread_id}/runs/{run_id}"),
    summary: "Change the metadata of a run",
    params: ofRun,
    body: UpdateRun,
    stored: true,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { thread_id, run_id }, body }) {
      return json(runWire(await runs.update(caller, thread_id, run_id, body.metadata ?? {})));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: under("/{thread_id}/runs/{run_id}/cancel"),
    summary: "Cancel a run",
    params: ofRun,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { thread_id, run_id } }) {
      return json(runWire(await runs.cancel(caller, thread_id, run_id)));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: under("/{thread_id}/runs/{run_id}/submit_tool_outputs"),
    summary: "Give a run what its functions came to",
    description: "All outputs that it waits for, in one request.",
    params: ofRun,
    body: SubmitToolOutputs,
    stored: true,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { thread_id, run_id }, body, connection }) {
      const outputs = new Map(body.tool_outputs.map(({ tool_call_id, output }) => [tool_call_id, output ?? ""]));
      if (outputs.size < body.tool_outputs.length) {
        throw new GatewayError("invalid_request", "An output is given once for each call.", { param: "tool_outputs" });
      }
      if (body.stream) return streamRun(connection, (watch) => runs.submit(caller, thread_id, run_id, outputs, watch));
      return json(runWire(await runs.submit(caller, thread_id, run_id, outputs)));
    },
  }),
];

type AnyContext = Context<"key", unknown, unknown, unknown, unknown>;

const newRun = ({ connection, request }: AnyContext, body: CreateRun | CreateThreadAndRun): NewRun => {
  rejectRequestGuardrails(body, KEYS_OWN);
  const further = body as Partial<CreateRun>;
  const truncation = body.truncation_strategy;
  return {
    assistantId: body.assistant_id,
    ...(body.model ? { model: body.model } : {}),
    ...(typeof body.instructions === "string" ? { instructions: body.instructions } : {}),
    additionalInstructions: further.additional_instructions ?? null,
    messages: (further.additional_messages ?? []).map(saidMessage),
    tools: body.tools ?? null,
    toolResources: null,
    metadata: body.metadata ?? {},
    toolChoice: body.tool_choice ?? null,
    parallelToolCalls: body.parallel_tool_calls ?? true,
    maxPromptTokens: body.max_prompt_tokens ?? null,
    maxCompletionTokens: body.max_completion_tokens ?? null,
    ...(truncation ? { truncation: { type: truncation.type, lastMessages: truncation.last_messages ?? null } } : {}),
    ...(typeof body.temperature === "number" ? { temperature: body.temperature } : {}),
    ...(typeof body.top_p === "number" ? { topP: body.top_p } : {}),
    ...(body.response_format ? { responseFormat: body.response_format } : {}),
    ...(body.reasoning_effort ? { reasoningEffort: body.reasoning_effort } : {}),
    source: sourceOf(connection, request),
  };
};
