import Type from "typebox";
import type { ThreadChanges, Threads } from "../../assistants/threads.ts";
import { CursorQuery, Deleted, RecordId } from "../../contract/assistants/parts.ts";
import { CreateThread, ThreadAnswer, UpdateThread } from "../../contract/assistants/threads.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { sourceOf } from "../files/source-of.ts";
import { CursorList, cursorOf, listWire, saidMessage, threadWire } from "./wire.ts";

const params = Type.Object({ thread_id: RecordId });
const shared = { tag: "Threads", auth: "key", success: ThreadAnswer } as const;
const all = ["/v1/threads", "/threads"] as const;
const one = ["/v1/threads/{thread_id}", "/threads/{thread_id}"] as const;

export const threadRoutes = (threads: Threads): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: all,
    summary: "Create a thread",
    description: "A conversation; it may begin with messages.",
    body: CreateThread,
    stored: true,
    errors: ["invalid_request", "permission", "team_blocked", "not_found"],
    async handle({ caller, body, connection, request }) {
      return json(threadWire(await threads.create(caller, newThread(body), sourceOf(connection, request))));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: all,
    summary: "List threads",
    query: CursorQuery,
    success: CursorList(ThreadAnswer),
    errors: ["team_blocked", "invalid_request", "not_found"],
    async handle({ caller, query }) {
      return json(listWire(await threads.list(caller, cursorOf(query)), threadWire));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: one,
    summary: "Get a thread",
    params,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { thread_id } }) {
      return json(threadWire(await threads.get(caller, thread_id)));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: one,
    summary: "Change a thread",
    params,
    body: UpdateThread,
    stored: true,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { thread_id }, body, connection, request }) {
      const source = sourceOf(connection, request);
      const changes: ThreadChanges = {
        ...(body.metadata === undefined ? {} : { metadata: body.metadata ?? {} }),
        ...(body.tool_resources === undefined ? {} : { toolResources: body.tool_resources }),
      };
      return json(threadWire(await threads.update(caller, thread_id, changes, source)));
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: one,
    summary: "Delete a thread",
    description: "With its messages, its runs and their steps.",
    params,
    success: Deleted,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { thread_id } }) {
      await threads.remove(caller, thread_id);
      return json({ id: thread_id, object: "thread.deleted", deleted: true });
    },
  }),
];

export const newThread = (body: CreateThread) => ({
  messages: (body.messages ?? []).map(saidMessage),
  metadata: body.metadata ?? {},
  toolResources: body.tool_resources ?? null,
});
