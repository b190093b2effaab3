import Type from "typebox";
import type { Batches } from "../../batches/batches.ts";
import { RecordId } from "../../contract/assistants/parts.ts";
import { BatchAnswer, BatchQuery, CreateBatch } from "../../contract/batches.ts";
import { rejectRequestGuardrails } from "../../gateway/guardrails/refuse-named.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { CursorList, cursorOf, listWire } from "../assistants/wire.ts";
import { sourceOf } from "../files/source-of.ts";
import { batchWire } from "./batch-wire.ts";

const params = Type.Object({ batch_id: RecordId });
const shared = { tag: "Batches", auth: "key", success: BatchAnswer } as const;
const all = ["/v1/batches", "/batches"] as const;

export const batchRoutes = (batches: Batches): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: all,
    summary: "Create a batch",
    description:
      "Calls every line of an uploaded file of the purpose `batch` in the background, within a day, as calls of the key that asks; any model of the gateway.",
    body: CreateBatch,
    stored: true,
    errors: ["invalid_request", "team_blocked", "not_found", "rate_limit"],
    async handle({ caller, body, connection, request }) {
      rejectRequestGuardrails(body, "Each line of a batch names the guardrails of its call itself");
      const { output_expires_after } = body;
      const batch = await batches.create(caller, {
        inputFileId: body.input_file_id,
        endpoint: body.endpoint,
        completionWindow: body.completion_window,
        outputExpiresAfterMs: output_expires_after ? output_expires_after.seconds * 1000 : null,
        metadata: body.metadata ?? null,
        source: sourceOf(connection, request),
      });
      return json(batchWire(batch));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: all,
    summary: "List batches",
    description: "Those of the team of the key, the newest first.",
    query: BatchQuery,
    success: CursorList(BatchAnswer),
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, query }) {
      return json(listWire(await batches.list(caller, cursorOf(query)), batchWire));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: ["/v1/batches/{batch_id}", "/batches/{batch_id}"],
    summary: "Get a batch",
    params,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { batch_id } }) {
      return json(batchWire(await batches.get(caller, batch_id)));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: ["/v1/batches/{batch_id}/cancel", "/batches/{batch_id}/cancel"],
    summary: "Cancel a batch",
    description: "No further line is called. What came of those that were is in its files when it is `cancelled`.",
    params,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { batch_id } }) {
      return json(batchWire(await batches.cancel(caller, batch_id)));
    },
  }),
];
