import type { Filter } from "../../contract/files/vector-stores.ts";
import type { Attributes, Passage, StoreEntry } from "../records.ts";
import type { FileStores } from "../store.ts";
import { fits } from "./filter.ts";
import { joinScores, queryWords, wordScores } from "./rank.ts";
import type { VectorCache } from "./vector-cache.ts";

export interface SearchHit {
  readonly passage: Passage;
  readonly score: number;
  readonly fileName: string;
  readonly attributes: Attributes;
}

export interface SearchAsk {
  readonly query: string;
  /** Its vector, by the model of the store; null where there is none, and words alone are looked for. */
  readonly vector: Float32Array | null;
  readonly limit: number;
  readonly threshold: number;
  readonly filter: Filter | null;
}

/** How many of either kind are looked at more closely. */
const CANDIDATES = 100;

/** Looks for words and for meaning, and orders what either finds by both. */
export async function searchPassages(
  stores: FileStores,
  cache: VectorCache,
  vectorStoreId: string,
  { query, vector, limit, threshold, filter }: SearchAsk,
): Promise<SearchHit[]> {
  const { passages } = stores;
  const [total, worded, near] = await Promise.all([
    passages.count(vectorStoreId),
    passages.withWords(vectorStoreId, queryWords(query), CANDIDATES),
    vector === null ? new Map<number, number>() : cache.nearest(vectorStoreId, vector, CANDIDATES),
  ]);
  const known = new Set(worded.map(({ id }) => id));
  const others = await passages.get(
    vectorStoreId,
    [...near.keys()].filter((id) => !known.has(id)),
  );
  const all = [...worded, ...others];
  const words = wordScores(query, all, total);
  const scored = all
    .map((passage) => ({ passage, score: joinScores(words.get(passage.id) ?? 0, near.get(passage.id) ?? 0) }))
    .filter(({ score }) => score >= threshold)
    .sort((a, b) => b.score - a.score || a.passage.id - b.passage.id);
  const entries = await entriesOf(stores, vectorStoreId, scored, filter);
  const hits: SearchHit[] = [];
  for (const { passage, score } of scored) {
    if (hits.length >= limit) break;
    const entry = entries.get(passage.fileId);
    if (entry) hits.push({ passage, score, fileName: entry.fileName, attributes: entry.attributes });
  }
  return hits;
}

/** The files of what was found, as far as they are wanted. */
async function entriesOf(
  { entries }: FileStores,
  vectorStoreId: string,
  found: readonly { readonly passage: Passage }[],
  filter: Filter | null,
): Promise<ReadonlyMap<string, StoreEntry & { readonly fileName: string }>> {
  const wanted = new Map<string, StoreEntry & { readonly fileName: string }>();
  for (const fileId of new Set(found.map(({ passage }) => passage.fileId))) {
    const entry = await entries.findNamed(vectorStoreId, fileId);
    if (entry?.status === "completed" && (!filter || fits(filter, entry.attributes))) wanted.set(fileId, entry);
  }
  return wanted;
}
