import Type from "typebox";
import type { Conversation } from "../../assistants/conversation-store.ts";
import { CursorQuery, Deleted, RecordId } from "../../contract/assistants/parts.ts";
import { AddItems, ConversationAnswer, CreateConversation, UpdateConversation } from "../../contract/conversations.ts";
import { Item, ResponseItems } from "../../contract/responses.ts";
import { checkItems, type SaidDeps } from "../../gateway/interfaces/responses/history.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { cursorOf, listWire, seconds } from "../assistants/wire.ts";
import { toldItem } from "./item-list.ts";
import { openaiPaths } from "./openai-paths.ts";

const under = (rest: string) => openaiPaths(`/conversations/{conversation_id}${rest}`);
const params = Type.Object({ conversation_id: RecordId });
const itemParams = Type.Object({ conversation_id: RecordId, item_id: RecordId });
const shared = { tag: "Conversations", auth: "key", success: ConversationAnswer } as const;

/** OpenAI's conversations: what responses of any model say one after another, of the team of the key. */
export const conversationRoutes = ({ kept, conversations }: SaidDeps): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: openaiPaths("/conversations"),
    summary: "Create a conversation",
    description:
      "It stays until it is deleted. `conversation` of a response goes on from it, and the response is put behind.",
    body: CreateConversation,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, body: { items, metadata } }) {
      const begun = await kept.resolved(caller, items ?? []);
      checkItems(begun);
      return json(wire(await conversations.create(caller, begun, metadata ?? {})));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: under(""),
    summary: "Get a conversation",
    params,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { conversation_id } }) {
      return json(wire(await conversations.get(caller, conversation_id)));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: under(""),
    summary: "Change a conversation",
    params,
    body: UpdateConversation,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { conversation_id }, body: { metadata } }) {
      return json(wire(await conversations.update(caller, conversation_id, metadata ?? {})));
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: under(""),
    summary: "Delete a conversation",
    description: "With all that was said in it. Responses that are kept stay.",
    params,
    success: Deleted,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { conversation_id } }) {
      await conversations.remove(caller, conversation_id);
      return json({ id: conversation_id, object: "conversation.deleted", deleted: true });
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: under("/items"),
    summary: "List what was said in a conversation",
    params,
    query: CursorQuery,
    success: ResponseItems,
    errors: ["team_blocked", "not_found", "invalid_request"],
    async handle({ caller, params: { conversation_id }, query }) {
      return json(listWire(await conversations.listItems(caller, conversation_id, cursorOf(query)), toldItem));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: under("/items"),
    summary: "Add to a conversation",
    description: "At most 20 items at a time. Each gets an id of ours.",
    params,
    body: AddItems,
    success: ResponseItems,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { conversation_id }, body }) {
      const items = await kept.resolved(caller, body.items);
      checkItems(items);
      const rows = await conversations.addItems(caller, conversation_id, items);
      return json(listWire({ rows, more: false }, toldItem));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: under("/items/{item_id}"),
    summary: "Get an item of a conversation",
    params: itemParams,
    success: Item,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { conversation_id, item_id } }) {
      return json(toldItem(await conversations.getItem(caller, conversation_id, item_id)));
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: under("/items/{item_id}"),
    summary: "Delete an item of a conversation",
    params: itemParams,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { conversation_id, item_id } }) {
      return json(wire(await conversations.removeItem(caller, conversation_id, item_id)));
    },
  }),
];

const wire = ({ id, createdAt, metadata }: Conversation) => ({
  id,
  object: "conversation",
  created_at: seconds(createdAt),
  metadata,
});
