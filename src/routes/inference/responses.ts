import Type from "typebox";
import { findGroupOfMode } from "../../catalog/group-of-mode.ts";
import { CursorQuery, Deleted, RecordId } from "../../contract/assistants/parts.ts";
import { ResponseAnswer, ResponseInputTokens, ResponseItems, ResponseRequest } from "../../contract/responses.ts";
import { withOptionalModel } from "../../contract/schema.ts";
import { follow } from "../../gateway/interfaces/responses/follow.ts";
import { countInput, type ResponseDeps, respond } from "../../gateway/interfaces/responses/respond.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { COUNTED_BY } from "./counted-by.ts";
import { firstOfModels } from "./first-of-models.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { itemList } from "./item-list.ts";
import { modelName } from "./model-name.ts";
import { openaiPaths } from "./openai-paths.ts";

const under = (rest: string) => openaiPaths(`/responses/{response_id}${rest}`);
const params = Type.Object({ response_id: RecordId });
const shared = { tag: "Responses", auth: "key" } as const;

/** OpenAI's responses, of every chat model. */
export const createResponse = (deps: ResponseDeps): Route =>
  route({
    ...shared,
    method: "POST",
    paths: openaiPaths("/responses"),
    summary: "Create a response",
    description:
      "Follows the OpenAI responses interface, for every chat model; with `stream: true` the answer is a stream of events. " +
      "It is kept for 30 days unless `store` is false, and `previous_response_id` goes on from one. With `background: true` " +
      "it is answered at once with one that is `queued` and is carried out without the connection.",
    body: ResponseRequest,
    adopt: firstOfModels,
    success: ResponseAnswer,
    otherTypes: ["text/event-stream"],
    errors: [...INFERENCE_ERRORS, "not_found", "storage_quota", "json_schema_validation", "disk_full"],
    handle: (context) => respond(deps, callOf(context, context.body.model), context.body),
  });

/** What a response would be asked with, without asking. */
export const countResponseInput = (deps: ResponseDeps): Route =>
  route({
    ...shared,
    method: "POST",
    paths: openaiPaths("/responses/input_tokens"),
    summary: "Count the tokens of what is put in",
    description: `${COUNTED_BY} Without \`model\` the first chat model counts.`,
    body: withOptionalModel(ResponseRequest),
    success: ResponseInputTokens,
    errors: [...INFERENCE_ERRORS, "not_found"],
    async handle(context) {
      const { deployments } = deps.gateway.catalog();
      const model = modelName(context.body.model, findGroupOfMode(deployments, "chat"));
      const call = callOf(context, model);
      const input_tokens = await countInput(deps, call, { ...context.body, model });
      return json({ object: "response.input_tokens", input_tokens }, 200, call.responseMeta.addTo({}));
    },
  });

/** Those that are kept, of the team of the key. */
export const keptResponseRoutes = ({ kept, background }: Omit<ResponseDeps, "gateway">): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: under(""),
    summary: "Get a response",
    description:
      "With `stream=true` as the events that tell it, each text in one piece; numbers are the same each time. One in the " +
      "background that was asked for as a stream is told as it happens, with the numbers of that stream.",
    params,
    query: Type.Object({
      stream: Type.Optional(Type.Boolean()),
      starting_after: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 2 ** 31 - 1,
          description: "Of a stream: the number of the last event that is known.",
        }),
      ),
    }),
    success: ResponseAnswer,
    otherTypes: ["text/event-stream"],
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { response_id }, query: { stream, starting_after }, connection }) {
      if (stream) return follow({ kept, background }, caller, response_id, starting_after ?? -1, connection);
      return json((await kept.get(caller, response_id)).answer);
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: under(""),
    summary: "Delete a response",
    description: "Those that go on from it cannot be gone on from any more. One that is under way is stopped.",
    params,
    success: Deleted,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { response_id } }) {
      await background.remove(caller, response_id);
      return json({ id: response_id, object: "response", deleted: true });
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: under("/input_items"),
    summary: "List what was put in with a response",
    params,
    query: CursorQuery,
    success: ResponseItems,
    errors: ["team_blocked", "not_found", "invalid_request"],
    async handle({ caller, params: { response_id }, query }) {
      return json(itemList((await kept.get(caller, response_id)).input, query));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: under("/cancel"),
    summary: "Cancel a response",
    description: "Only one in the background can be cancelled; one that is at its end is answered as it is.",
    params,
    success: ResponseAnswer,
    errors: ["team_blocked", "not_found", "invalid_request"],
    async handle({ caller, params: { response_id } }) {
      return json(await background.cancel(caller, response_id));
    },
  }),
];
