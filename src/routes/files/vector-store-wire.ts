import type { StoreBatch, StoreEntry } from "../../files/records.ts";
import type { SearchHit } from "../../files/search/search.ts";
import type { FileCounts } from "../../files/store.ts";
import type { CountedStore } from "../../files/vector-stores.ts";
import { seconds, secondsOrNull } from "../assistants/wire.ts";

const countsWire = ({ in_progress, completed, failed, cancelled }: FileCounts) => ({
  in_progress,
  completed,
  failed,
  cancelled,
  total: in_progress + completed + failed + cancelled,
});

export const storeWire = ({ store, counts }: CountedStore, nowMs: number) => ({
  id: store.id,
  object: "vector_store",
  created_at: seconds(store.createdAt),
  // OpenAI's clients expect a text.
  name: store.name ?? "",
  description: store.description,
  usage_bytes: counts.usedBytes,
  file_counts: countsWire(counts),
  status: statusOf(store.expiresAt, counts, nowMs),
  expires_after: store.expiresAfterDays === null ? null : { anchor: "last_active_at", days: store.expiresAfterDays },
  expires_at: secondsOrNull(store.expiresAt),
  last_active_at: seconds(store.lastActiveAt),
  metadata: store.metadata,
  embedding_model: store.embeddingModel,
});

function statusOf(expiresAt: number | null, { in_progress }: FileCounts, nowMs: number): string {
  if (expiresAt !== null && expiresAt <= nowMs) return "expired";
  return in_progress > 0 ? "in_progress" : "completed";
}

const AUTO_SIZES = { max_chunk_size_tokens: 800, chunk_overlap_tokens: 400 };

export const entryWire = (entry: StoreEntry) => ({
  id: entry.fileId,
  object: "vector_store.file",
  usage_bytes: entry.usedBytes,
  created_at: seconds(entry.createdAt),
  vector_store_id: entry.vectorStoreId,
  status: entry.status,
  last_error: entry.lastError,
  chunking_strategy: { type: "static", static: entry.chunking.type === "static" ? entry.chunking.static : AUTO_SIZES },
  attributes: entry.attributes,
});

export const batchWire = (batch: StoreBatch, counts: FileCounts) => ({
  id: batch.id,
  object: "vector_store.files_batch",
  created_at: seconds(batch.createdAt),
  vector_store_id: batch.vectorStoreId,
  status: batchStatus(counts),
  file_counts: countsWire(counts),
});

function batchStatus({ in_progress, cancelled, completed, failed }: FileCounts): string {
  if (in_progress > 0) return "in_progress";
  if (cancelled > 0) return "cancelled";
  return completed === 0 && failed > 0 ? "failed" : "completed";
}

export const hitWire = ({ passage, score, fileName, attributes }: SearchHit) => ({
  file_id: passage.fileId,
  filename: fileName,
  score,
  attributes,
  content: [{ type: "text", text: passage.text }],
});
