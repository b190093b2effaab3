import Type from "typebox";
import type { AssistantChanges, Assistants, NewAssistant } from "../../assistants/assistants.ts";
import { AssistantAnswer, CreateAssistant, UpdateAssistant } from "../../contract/assistants/assistants.ts";
import { CursorQuery, Deleted, RecordId } from "../../contract/assistants/parts.ts";
import type { ErrorKind } from "../../contract/errors.ts";
import { KEYS_OWN, rejectRequestGuardrails } from "../../gateway/guardrails/refuse-named.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { sourceOf } from "../files/source-of.ts";
import { assistantWire, CursorList, cursorOf, listWire } from "./wire.ts";

const params = Type.Object({ assistant_id: RecordId });
const shared = { tag: "Assistants", auth: "key", success: AssistantAnswer } as const;
const CHANGE_ERRORS: readonly ErrorKind[] = [
  "invalid_request",
  "permission",
  "team_blocked",
  "model_not_found",
  "not_found",
];

const one = ["/v1/assistants/{assistant_id}", "/assistants/{assistant_id}"] as const;
const all = ["/v1/assistants", "/assistants"] as const;

export const assistantsRoutes = (assistants: Assistants): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: all,
    summary: "Create an assistant",
    description: "A model group with instructions and tools, kept for the team of the key.",
    body: CreateAssistant,
    stored: true,
    errors: CHANGE_ERRORS,
    async handle({ caller, body, connection, request }) {
      rejectRequestGuardrails(body, KEYS_OWN);
      const made = await assistants.create(caller, newAssistant(body), sourceOf(connection, request));
      return json(assistantWire(made));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: all,
    summary: "List assistants",
    query: CursorQuery,
    success: CursorList(AssistantAnswer),
    errors: ["team_blocked", "invalid_request", "not_found"],
    async handle({ caller, query }) {
      return json(listWire(await assistants.list(caller, cursorOf(query)), assistantWire));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: one,
    summary: "Get an assistant",
    params,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { assistant_id } }) {
      return json(assistantWire(await assistants.get(caller, assistant_id)));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: one,
    summary: "Change an assistant",
    params,
    body: UpdateAssistant,
    stored: true,
    errors: CHANGE_ERRORS,
    async handle({ caller, params: { assistant_id }, body, connection, request }) {
      rejectRequestGuardrails(body, KEYS_OWN);
      const source = sourceOf(connection, request);
      return json(assistantWire(await assistants.update(caller, assistant_id, changesOf(body), source)));
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: one,
    summary: "Delete an assistant",
    description: "Threads and runs that it had stay.",
    params,
    success: Deleted,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { assistant_id } }) {
      await assistants.remove(caller, assistant_id);
      return json({ id: assistant_id, object: "assistant.deleted", deleted: true });
    },
  }),
];

const newAssistant = (body: CreateAssistant): NewAssistant => ({
  model: body.model,
  name: body.name ?? null,
  description: body.description ?? null,
  instructions: body.instructions ?? null,
  tools: body.tools ?? [],
  toolResources: body.tool_resources ?? null,
  metadata: body.metadata ?? {},
  temperature: body.temperature ?? null,
  topP: body.top_p ?? null,
  responseFormat: body.response_format ?? null,
  reasoningEffort: body.reasoning_effort ?? null,
});

/** A field that is null is emptied; one that is not there stays. A model cannot be emptied. */
function changesOf(body: UpdateAssistant): AssistantChanges {
  const whole = newAssistant({ ...body, model: body.model ?? "" });
  const named: Record<keyof NewAssistant, keyof UpdateAssistant> = {
    model: "model",
    name: "name",
    description: "description",
    instructions: "instructions",
    tools: "tools",
    toolResources: "tool_resources",
    metadata: "metadata",
    temperature: "temperature",
    topP: "top_p",
    responseFormat: "response_format",
    reasoningEffort: "reasoning_effort",
  };
  const given = Object.entries(whole).filter(([name]) => body[named[name as keyof NewAssistant]] !== undefined);
  return Object.fromEntries(given.filter(([name, value]) => name !== "model" || value !== "")) as AssistantChanges;
}
