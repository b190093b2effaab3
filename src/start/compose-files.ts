import { join } from "node:path";
import type { FilesPort } from "../assistants/files-port.ts";
import type { Run } from "../assistants/run-records.ts";
import { findGroupOfMode } from "../catalog/group-of-mode.ts";
import type { Config } from "../config/config.ts";
import type { ToolResources } from "../contract/assistants/parts.ts";
import type { KeyCaller } from "../contract/caller.ts";
import type { Owner } from "../contract/cursor.ts";
import { GatewayError } from "../contract/errors.ts";
import type { BlobStore } from "../files/blobs/blob-store.ts";
import { bucketBlobs } from "../files/blobs/bucket-blobs.ts";
import { folderBlobs } from "../files/blobs/folder-blobs.ts";
import { Files } from "../files/files.ts";
import { Indexer } from "../files/indexer.ts";
import { FairReadingQueue, type ReadingQueue } from "../files/reading/reading-queue.ts";
import type { StoreEntry } from "../files/records.ts";
import { StorageLimits } from "../files/storage-limits.ts";
import type { FileStores } from "../files/store.ts";
import { VectorStores } from "../files/vector-stores.ts";
import type { GatewayDeps } from "../gateway/call/gateway.ts";
import { embedTexts } from "../gateway/interfaces/internal/embed-texts.ts";
import type { Route } from "../http/route.ts";
import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import { fileRoutes } from "../routes/files/files.ts";
import { vectorStoreFileRoutes } from "../routes/files/vector-store-files.ts";
import { vectorStoreRoutes } from "../routes/files/vector-stores.ts";
import type { Storage } from "../storage/open.ts";
import { lackOfRoom } from "../training/hosting/room.ts";
import type { LiveConfig } from "./live-config.ts";

export type CallerOfKey = (keyId: string, address: string | null) => Promise<KeyCaller>;

/** Files, where their bytes lie, and how much may be stored. */
export interface KeptFiles {
  readonly files: Files;
  readonly blobs: BlobStore;
  readonly limits: StorageLimits;
}

interface Parts {
  readonly stores: FileStores;
  readonly kept: KeptFiles;
  readonly reading: ReadingQueue | null;
  readonly live: LiveConfig;
  readonly gateway: GatewayDeps;
  readonly callerOf: CallerOfKey;
  readonly requireModel: (caller: KeyCaller, model: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface FileParts {
  readonly files: Files;
  readonly vectorStores: VectorStores;
  readonly indexer: Indexer;
  readonly port: FilesPort;
  readonly routes: Route[];
}

const SEARCH_ENDPOINT = "/v1/vector_stores/{vector_store_id}/search";
const INDEX_ENDPOINT = "/v1/vector_stores/{vector_store_id}/files";

/** Files, vector stores and what reads one into the other. */
export function composeFiles(parts: Parts): FileParts {
  const { stores, kept, reading, live, gateway, callerOf, requireModel, clock, log } = parts;
  const { config } = live;
  const { files, blobs } = kept;
  const embeddingModel = (): string | null =>
    live.config.files.embeddingModel ?? findGroupOfMode(gateway.catalog().deployments, "embedding");
  const indexer = new Indexer({
    stores,
    blobs,
    reading: reading ?? new FairReadingQueue(() => clock.monotonicMs()),
    clock,
    log,
    explain: (thrown) => (thrown instanceof GatewayError ? thrown.message : "The file could not be read on our side."),
    async embed(entry, texts, signal) {
      const caller = await callerOf(entry.keyId, entry.source.address);
      const model = await modelOf(stores, caller, entry);
      return embedTexts(
        gateway,
        { caller, model, source: { endpoint: INDEX_ENDPOINT, ...entry.source }, headers: entry.source.headers, signal },
        texts,
      );
    },
  });
  const vectorStores = new VectorStores({
    stores,
    files,
    indexer,
    embeddingModel,
    requireModel,
    sleep: gateway.sleep,
    clock,
    async embedQuery({ keyId, source, onCost }, model, text, signal) {
      const caller = await callerOf(keyId, source.address);
      const from = { source: { endpoint: SEARCH_ENDPOINT, ...source }, headers: source.headers };
      const asked = { caller, model, ...from, signal, onCost };
      const [vector] = await embedTexts(gateway, asked, [text]);
      if (!vector) throw new GatewayError("upstream", "The embedding model did not answer with a vector.");
      return vector;
    },
  });
  return {
    files,
    vectorStores,
    indexer,
    port: filesPort(files, vectorStores),
    routes: [
      ...fileRoutes(files, config.files.bytesMax),
      ...vectorStoreRoutes(vectorStores, clock),
      ...vectorStoreFileRoutes(vectorStores),
    ],
  };
}

export function keepFiles(live: LiveConfig, storage: Storage, clock: Clock, log: Logger): KeptFiles {
  const blobs = blobsOf(live.config);
  const limits = createStorageLimits(live, storage, log);
  return { files: new Files({ stores: storage.files, blobs, storage: limits, clock, log }), blobs, limits };
}

/** The disk of this server has neither the texts of a PostgreSQL database nor the files of a bucket. */
function createStorageLimits(live: LiveConfig, storage: Storage, log: Logger): StorageLimits {
  const { dataDir, files } = live.config;
  return new StorageLimits({
    store: storage.storageUsage,
    quotaBytes: () => live.config.files.quotaBytes,
    hasSpace(bytes, as) {
      const isHere = as === "text" ? storage.kind === "sqlite" : files.bucket === null;
      return !isHere || lackOfRoom(dataDir, live.config.files.keepFreeMb, bytes) === null;
    },
    log,
  });
}

const blobsOf = ({ files, dataDir }: Config) =>
  files.bucket === null ? folderBlobs(join(dataDir, "files")) : bucketBlobs(files.bucket);

async function modelOf(stores: FileStores, owner: Owner, { vectorStoreId }: StoreEntry): Promise<string> {
  const store = await stores.vectorStores.find(owner, vectorStoreId);
  if (!store) throw new GatewayError("not_found", "The vector store is gone.");
  return store.embeddingModel;
}

const IMAGE_BYTES_MAX = 20 * 1024 * 1024;
const IMAGE_TYPES: readonly (readonly [type: string, beginning: RegExp])[] = [
  ["image/png", /^\x89PNG/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8/],
  ["image/webp", /^RIFF.{4}WEBP/s],
];

/** A store that was made along with a thread lives as long as it is used. */
const THREAD_STORE_DAYS = 7;

const storeIn = ({ file_search }: ToolResources): string | undefined => file_search?.vector_store_ids?.[0];

/** What assistants see of files. */
function filesPort(files: Files, vectorStores: VectorStores): FilesPort {
  return {
    async requireFiles(owner, ids) {
      for (const id of ids) await files.get(owner, id);
    },
    async settle(caller, resources, source): Promise<ToolResources> {
      const search = resources?.file_search;
      if ((resources?.code_interpreter?.file_ids ?? []).length > 0) {
        throw new GatewayError("invalid_request", "The tool `code_interpreter` is not served here.", {
          param: "tool_resources",
        });
      }
      const ids = [...(search?.vector_store_ids ?? [])];
      for (const id of ids) await vectorStores.get(caller, id);
      const made = search && "vector_stores" in search ? (search.vector_stores ?? []) : [];
      for (const { file_ids, chunking_strategy, metadata } of made) {
        const entries = [...new Set(file_ids)].map((fileId) => ({
          fileId,
          attributes: {},
          chunking: chunking_strategy ?? null,
        }));
        await this.requireFiles(
          caller,
          entries.map(({ fileId }) => fileId),
        );
        const about = { name: null, description: null, expiresAfterDays: null, embeddingModel: null };
        const store = await vectorStores.create(caller, { ...about, metadata: metadata ?? {} });
        if (entries.length > 0) await vectorStores.add(caller, store.id, entries, source);
        ids.push(store.id);
      }
      return ids.length === 0 ? {} : { file_search: { vector_store_ids: ids } };
    },
    async withStore(caller, resources) {
      if (storeIn(resources) !== undefined) return resources;
      const about = { name: null, description: null, embeddingModel: null, metadata: {} };
      const { id } = await vectorStores.create(caller, { ...about, expiresAfterDays: THREAD_STORE_DAYS });
      return { ...resources, file_search: { vector_store_ids: [id] } };
    },
    async dropStore(caller, resources) {
      const id = storeIn(resources);
      if (id !== undefined) await vectorStores.remove(caller, id);
    },
    async searchable(caller, resources, fileIds, source) {
      if (fileIds.length === 0) return resources;
      const found = await this.withStore(caller, resources);
      await vectorStores.addAbsent(caller, storeIn(found) ?? "", fileIds, source);
      return found;
    },
    async imageUrl(owner, fileId) {
      const { file, bytes } = await files.content(owner, fileId);
      if (file.sizeBytes > IMAGE_BYTES_MAX)
        throw new GatewayError("invalid_request", `${file.name} is too large a picture.`);
      const whole = Buffer.from(await new Response(bytes).arrayBuffer());
      const head = whole.subarray(0, 16).toString("latin1");
      const type = IMAGE_TYPES.find(([, beginning]) => beginning.test(head))?.[0];
      if (!type) throw new GatewayError("invalid_request", `${file.name} is no picture that models take.`);
      return `data:${type};base64,${whole.toString("base64")}`;
    },
  };
}

const RESULTS = 20;

/** The file search of a run: in every store that it has, by its own settings. */
export async function searchForRun(
  { vectorStores }: Pick<FileParts, "vectorStores">,
  run: Run,
  query: string,
  signal: AbortSignal,
  onCost: (cost: bigint) => void,
) {
  // Models ask for nothing now and then, and embedding models refuse that.
  if (query.trim() === "") return [];
  const { settings, teamId, keyId } = run;
  const tool = settings.tools.find(({ type }) => type === "file_search");
  const options = tool?.type === "file_search" ? tool.file_search : null;
  const asked = {
    query,
    limit: options?.max_num_results ?? RESULTS,
    threshold: options?.ranking_options?.score_threshold ?? 0,
    filter: null,
  };
  const asker = { teamId, keyId, source: settings.source, onCost };
  const found = [];
  for (const id of settings.toolResources.file_search?.vector_store_ids ?? []) {
    await vectorStores.whenRead(id, signal);
    found.push(...(await vectorStores.search(asker, id, asked, signal)));
  }
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, asked.limit)
    .map(({ passage, score, fileName }) => ({ fileId: passage.fileId, fileName, score, text: passage.text }));
}
