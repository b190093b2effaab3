import Type from "typebox";
import { CursorQuery, Deleted, RecordId } from "../../contract/assistants/parts.ts";
import { GatewayError } from "../../contract/errors.ts";
import {
  AddFile,
  AddFiles,
  BatchAnswer,
  SearchAnswer,
  StoreFileAnswer,
  UpdateFile,
} from "../../contract/files/vector-stores.ts";
import type { NewEntry, VectorStores } from "../../files/vector-stores.ts";
import { KEYS_OWN, rejectRequestGuardrails } from "../../gateway/guardrails/refuse-named.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { CursorList, cursorOf, listWire } from "../assistants/wire.ts";
import { sourceOf } from "./source-of.ts";
import { batchWire, entryWire } from "./vector-store-wire.ts";

const ofStore = Type.Object({ vector_store_id: RecordId });
const ofFile = Type.Object({ vector_store_id: RecordId, file_id: RecordId });
const ofBatch = Type.Object({ vector_store_id: RecordId, batch_id: RecordId });
const Status = Type.Optional(Type.Enum(["in_progress", "completed", "failed", "cancelled"]));
const ListQuery = Type.Object({ ...CursorQuery.properties, filter: Status });
const shared = { tag: "Vector stores", auth: "key" } as const;
const under = (path: string) =>
  [`/v1/vector_stores/{vector_store_id}${path}`, `/vector_stores/{vector_store_id}${path}`] as const;

/** Lists are ordered by when a file was put in; on the wire it goes by the file's id. */
const byFile = <T extends { readonly fileId: string }>(rows: readonly T[]) =>
  rows.map((row) => ({ ...row, id: row.fileId }));

export const vectorStoreFileRoutes = (stores: VectorStores): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: under("/files"),
    summary: "Put a file into a vector store",
    params: ofStore,
    body: AddFile,
    stored: true,
    success: StoreFileAnswer,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id }, body, connection, request }) {
      rejectRequestGuardrails(body, KEYS_OWN);
      const [entry] = await stores.add(caller, vector_store_id, [newEntry(body)], sourceOf(connection, request));
      if (!entry) throw new GatewayError("internal", "The file was not put in.");
      return json(entryWire(entry));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: under("/files"),
    summary: "List the files of a vector store",
    params: ofStore,
    query: ListQuery,
    success: CursorList(StoreFileAnswer),
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id }, query }) {
      const filter = query.filter === undefined ? {} : { status: query.filter };
      const { rows, more } = await stores.listEntries(caller, vector_store_id, cursorOf(query), filter);
      return json(listWire({ rows: byFile(rows), more }, entryWire));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: under("/files/{file_id}"),
    summary: "Get a file of a vector store",
    params: ofFile,
    success: StoreFileAnswer,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id, file_id } }) {
      return json(entryWire(await stores.getEntry(caller, vector_store_id, file_id)));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: under("/files/{file_id}"),
    summary: "Change the attributes of a file of a vector store",
    params: ofFile,
    body: UpdateFile,
    stored: true,
    success: StoreFileAnswer,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id, file_id }, body }) {
      return json(entryWire(await stores.updateEntry(caller, vector_store_id, file_id, body.attributes ?? {})));
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: under("/files/{file_id}"),
    summary: "Take a file out of a vector store",
    description: "The file itself stays.",
    params: ofFile,
    success: Deleted,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id, file_id } }) {
      await stores.removeEntry(caller, vector_store_id, file_id);
      return json({ id: file_id, object: "vector_store.file.deleted", deleted: true });
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: under("/files/{file_id}/content"),
    summary: "Get the passages of a file",
    params: ofFile,
    success: SearchAnswer,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id, file_id } }) {
      const passages = await stores.entryContent(caller, vector_store_id, file_id);
      return json({
        object: "vector_store.file_content.page",
        data: passages.map(({ text }) => ({ type: "text", text })),
        has_more: false,
        next_page: null,
      });
    },
  }),
  ...batchRoutes(stores),
];

const batchRoutes = (stores: VectorStores): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: under("/file_batches"),
    summary: "Put several files into a vector store",
    params: ofStore,
    body: AddFiles,
    stored: true,
    success: BatchAnswer,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id }, body, connection, request }) {
      rejectRequestGuardrails(body, KEYS_OWN);
      const { file_ids, files, attributes, chunking_strategy } = body;
      if (!file_ids === !files) {
        throw new GatewayError("invalid_request", "Send either `file_ids` or `files`.", { param: "file_ids" });
      }
      const named = files ?? (file_ids ?? []).map((file_id) => ({ file_id, attributes, chunking_strategy }));
      const entries = new Map(named.map((one) => [one.file_id, newEntry(one)]));
      const batch = await stores.addBatch(
        caller,
        vector_store_id,
        [...entries.values()],
        sourceOf(connection, request),
      );
      return json(batchWire(batch, await stores.countsOfBatch(batch.id)));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: under("/file_batches/{batch_id}"),
    summary: "Get a batch of files",
    params: ofBatch,
    success: BatchAnswer,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id, batch_id } }) {
      const batch = await stores.getBatch(caller, vector_store_id, batch_id);
      return json(batchWire(batch, await stores.countsOfBatch(batch_id)));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: under("/file_batches/{batch_id}/cancel"),
    summary: "Stop reading the files of a batch",
    params: ofBatch,
    success: BatchAnswer,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id, batch_id } }) {
      const batch = await stores.cancelBatch(caller, vector_store_id, batch_id);
      return json(batchWire(batch, await stores.countsOfBatch(batch_id)));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: under("/file_batches/{batch_id}/files"),
    summary: "List the files of a batch",
    params: ofBatch,
    query: ListQuery,
    success: CursorList(StoreFileAnswer),
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id, batch_id }, query }) {
      await stores.getBatch(caller, vector_store_id, batch_id);
      const filter = { batchId: batch_id, ...(query.filter === undefined ? {} : { status: query.filter }) };
      const { rows, more } = await stores.listEntries(caller, vector_store_id, cursorOf(query), filter);
      return json(listWire({ rows: byFile(rows), more }, entryWire));
    },
  }),
];

const newEntry = ({
  file_id,
  attributes,
  chunking_strategy,
}: {
  readonly file_id: string;
  readonly attributes?: NewEntry["attributes"] | null | undefined;
  readonly chunking_strategy?: NewEntry["chunking"] | undefined;
}): NewEntry => ({ fileId: file_id, attributes: attributes ?? {}, chunking: chunking_strategy ?? null });
