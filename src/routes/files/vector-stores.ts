import Type from "typebox";
import { CursorQuery, Deleted, RecordId } from "../../contract/assistants/parts.ts";
import { type ErrorKind, GatewayError } from "../../contract/errors.ts";
import {
  CreateVectorStore,
  SearchAnswer,
  SearchVectorStore,
  UpdateVectorStore,
  VectorStoreAnswer,
} from "../../contract/files/vector-stores.ts";
import { formatUsd } from "../../contract/money.ts";
import type { VectorStores } from "../../files/vector-stores.ts";
import { KEYS_OWN, rejectRequestGuardrails } from "../../gateway/guardrails/refuse-named.ts";
import { json } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { Clock } from "../../lib/clock.ts";
import { CursorList, cursorOf, listWire } from "../assistants/wire.ts";
import { INFERENCE_ERRORS } from "../inference/inference-errors.ts";
import { sourceOf } from "./source-of.ts";
import { hitWire, storeWire } from "./vector-store-wire.ts";

const params = Type.Object({ vector_store_id: RecordId });
const shared = { tag: "Vector stores", auth: "key", success: VectorStoreAnswer } as const;
const all = ["/v1/vector_stores", "/vector_stores"] as const;
const one = ["/v1/vector_stores/{vector_store_id}", "/vector_stores/{vector_store_id}"] as const;
const MAKE_ERRORS: readonly ErrorKind[] = [
  "invalid_request",
  "permission",
  "team_blocked",
  "model_not_found",
  "not_found",
];
const RESULTS = 10;

export const vectorStoreRoutes = (stores: VectorStores, clock: Clock): Route[] => [
  route({
    ...shared,
    method: "POST",
    paths: all,
    summary: "Create a vector store",
    description: "Its files are read behind the call; their vectors are charged to the key like any embedding.",
    body: CreateVectorStore,
    stored: true,
    errors: MAKE_ERRORS,
    async handle({ caller, body, connection, request }) {
      rejectRequestGuardrails(body, KEYS_OWN);
      const store = await stores.create(caller, {
        name: body.name ?? null,
        description: body.description ?? null,
        metadata: body.metadata ?? {},
        expiresAfterDays: body.expires_after?.days ?? null,
        embeddingModel: body.embedding_model ?? null,
      });
      const entries = [...new Set(body.file_ids ?? [])].map((fileId) => ({
        fileId,
        attributes: {},
        chunking: body.chunking_strategy ?? null,
      }));
      try {
        if (entries.length > 0) await stores.add(caller, store.id, entries, sourceOf(connection, request));
      } catch (thrown) {
        await stores.remove(caller, store.id);
        throw thrown;
      }
      return json(storeWire(await stores.counted(store), clock.nowMs()));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: all,
    summary: "List vector stores",
    query: CursorQuery,
    success: CursorList(VectorStoreAnswer),
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, query }) {
      const found = await stores.list(caller, cursorOf(query));
      return json(listWire(found, (counted) => storeWire(counted, clock.nowMs())));
    },
  }),
  route({
    ...shared,
    method: "GET",
    paths: one,
    summary: "Get a vector store",
    params,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id } }) {
      return json(storeWire(await stores.counted(await stores.get(caller, vector_store_id)), clock.nowMs()));
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: one,
    summary: "Change a vector store",
    params,
    body: UpdateVectorStore,
    stored: true,
    errors: ["invalid_request", "team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id }, body }) {
      const changed = await stores.update(caller, vector_store_id, {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.description === undefined ? {} : { description: body.description }),
        ...(body.metadata === undefined ? {} : { metadata: body.metadata ?? {} }),
        ...(body.expires_after === undefined ? {} : { expiresAfterDays: body.expires_after?.days ?? null }),
      });
      return json(storeWire(await stores.counted(changed), clock.nowMs()));
    },
  }),
  route({
    ...shared,
    method: "DELETE",
    paths: one,
    summary: "Delete a vector store",
    description: "With its passages and vectors; its files stay.",
    params,
    success: Deleted,
    errors: ["team_blocked", "not_found"],
    async handle({ caller, params: { vector_store_id } }) {
      await stores.remove(caller, vector_store_id);
      return json({ id: vector_store_id, object: "vector_store.deleted", deleted: true });
    },
  }),
  route({
    ...shared,
    method: "POST",
    paths: ["/v1/vector_stores/{vector_store_id}/search", "/vector_stores/{vector_store_id}/search"],
    summary: "Search a vector store",
    description: "By words and by meaning; the vector of the query is charged to the key like any embedding.",
    params,
    body: SearchVectorStore,
    stored: true,
    success: SearchAnswer,
    errors: [...INFERENCE_ERRORS, "not_found"],
    async handle({ caller, params: { vector_store_id }, body, connection, request }) {
      rejectRequestGuardrails(body, KEYS_OWN);
      if (body.rewrite_query) {
        throw new GatewayError(
          "invalid_request",
          "A query is looked for as it is; `rewrite_query` is not served here.",
          {
            param: "rewrite_query",
          },
        );
      }
      const queries = typeof body.query === "string" ? [body.query] : body.query;
      let spent: bigint | null = null;
      const onCost = (cost: bigint) => {
        spent = (spent ?? 0n) + cost;
      };
      const asker = { teamId: caller.teamId, keyId: caller.keyId, source: sourceOf(connection, request), onCost };
      const asked = {
        query: queries.join("\n"),
        limit: body.max_num_results ?? RESULTS,
        threshold: body.ranking_options?.score_threshold ?? 0,
        filter: body.filters ?? null,
      };
      const hits = await stores.search(asker, vector_store_id, asked, request.signal);
      const found = {
        object: "vector_store.search_results.page",
        search_query: queries,
        data: hits.map(hitWire),
        has_more: false,
        next_page: null,
      };
      return json(found, 200, spent === null ? {} : { "x-gw-response-cost": formatUsd(spent) });
    },
  }),
];
