import Type from "typebox";
import { CursorQuery, Deleted, RecordId } from "../../contract/assistants/parts.ts";
import { GatewayError } from "../../contract/errors.ts";
import { ResponseAnswer, ResponseItems, ResponseRequest } from "../../contract/responses.ts";
import { replay } from "../../gateway/responses/replay.ts";
import { type ResponseDeps, respond } from "../../gateway/responses/respond.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { callOf } from "./call-of.ts";
import { INFERENCE_ERRORS } from "./inference-errors.ts";
import { itemList } from "./item-list.ts";

const ALL = ["/v1/responses", "/responses", "/openai/v1/responses"] as const;
const under = (rest: string) =>
  ALL.map((path) => `${path}/{response_id}${rest}`) as unknown as readonly [string, ...string[]];
const params = Type.Object({ response_id: RecordId });
const shared = { tag: "Responses", auth: "key" } as const;

/** OpenAI's responses, of every chat model. */
export const createResponse = ({ gateway, kept }: ResponseDeps): Route =>
  route({
    ...shared,
    method: "POST",
    paths: ALL,
    summary: "Create a response",
    description:
      "Follows the OpenAI responses interface, for every chat model; with `stream: true` the answer is a stream of events. " +
      "It is kept for 30 days unless `store` is false, and `previous_response_id` goes on from one.",
    body: ResponseRequest,
    success: ResponseAnswer,
    errors: [...INFERENCE_ERRORS, "not_found", "json_schema_validation"],
    handle: (context) => respond({ gateway, kept }, callOf(context, context.body.model), context.body),
  });

/** Those that are kept, of the team of the key. */
export const keptResponseRoutes = ({ kept }: Pick<ResponseDeps, "kept">): Route[] => [
  route({
    ...shared,
    method: "GET",
    paths: under(""),
    summary: "Get a response",
    description:
      "With `stream=true` as the events that tell it, each text in one piece; numbers are the same each time.",
    params,
    query: Type.Object({
      stream: Type.Optional(Type.Boolean()),
      starting_after: Type.Optional(
        Type.Integer({ minimum: 0, description: "Of a stream: the number of the last event that is known." }),
      ),
    }),
    success: ResponseAnswer,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { response_id }, query: { stream, starting_after } }) {
      const { answer } = await kept.get(caller, response_id);
      return stream ? replay(answer, starting_after ?? -1) : json(answer);
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: under(""),
    summary: "Delete a response",
    description: "Those that go on from it cannot be gone on from any more.",
    params,
    success: Deleted,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { response_id } }) {
      await kept.remove(caller, response_id);
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
    description: "Only what runs in the background can be cancelled, which is not served: always 400, or 404.",
    params,
    errors: ["team_blocked", "not_found", "invalid_request"],
    async handle({ caller, params: { response_id } }) {
      await kept.get(caller, response_id);
      throw new GatewayError("invalid_request", "Only a response in the background can be cancelled.");
    },
  }),
];
