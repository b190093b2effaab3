import Type from "typebox";
import type { Threads } from "../../assistants/threads.ts";
import { CursorQuery, Deleted, RecordId } from "../../contract/assistants/parts.ts";
import { CreateMessage, MessageAnswer, UpdateMessage } from "../../contract/assistants/threads.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { sourceOf } from "../files/source-of.ts";
import { CursorList, cursorOf, listWire, messageWire, saidMessage } from "./wire.ts";

const ofThread = Type.Object({ thread_id: RecordId });
const ofMessage = Type.Object({ thread_id: RecordId, message_id: RecordId });
const shared = { tag: "Threads", auth: "key", success: MessageAnswer } as const;
const all = ["/v1/threads/{thread_id}/messages", "/threads/{thread_id}/messages"] as const;
const one = ["/v1/threads/{thread_id}/messages/{message_id}", "/threads/{thread_id}/messages/{message_id}"] as const;

export const messageRoutes = (threads: Threads): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: all,
    summary: "Add a message to a thread",
    description: "Not while a run is under way in it.",
    params: ofThread,
    body: CreateMessage,
    stored: true,
    errors: ["invalid_request", "permission", "team_blocked", "not_found"],
    async handle({ caller, params: { thread_id }, body, connection, request }) {
      const source = sourceOf(connection, request);
      return json(messageWire(await threads.addMessage(caller, thread_id, saidMessage(body), source)));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: all,
    summary: "List the messages of a thread",
    params: ofThread,
    query: Type.Object({ ...CursorQuery.properties, run_id: Type.Optional(RecordId) }),
    success: CursorList(MessageAnswer),
    errors: ["team_blocked", "invalid_request", "not_found"],
    async handle({ caller, params: { thread_id }, query }) {
      const found = await threads.listMessages(caller, thread_id, cursorOf(query), query.run_id);
      return json(listWire(found, messageWire));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: one,
    summary: "Get a message",
    params: ofMessage,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { thread_id, message_id } }) {
      return json(messageWire(await threads.getMessage(caller, thread_id, message_id)));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: one,
    summary: "Change the metadata of a message",
    params: ofMessage,
    body: UpdateMessage,
    stored: true,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { thread_id, message_id }, body }) {
      return json(messageWire(await threads.updateMessage(caller, thread_id, message_id, body.metadata ?? {})));
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: one,
    summary: "Delete a message",
    params: ofMessage,
    success: Deleted,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { thread_id, message_id } }) {
      await threads.removeMessage(caller, thread_id, message_id);
      return json({ id: message_id, object: "thread.message.deleted", deleted: true });
    },
  }),
];
