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
  const entries = await entriesOf(stores, vectorStoreId, all);
  // What a file is called is said of each of its passages.
  const titled = all.map((passage) => ({ ...passage, title: entries.get(passage.fileId)?.fileName ?? "" }));
  const words = wordScores(query, titled, total);
  const hits = all.flatMap((passage): SearchHit[] => {
    const entry = entries.get(passage.fileId);
    if (!entry || (filter && !fits(filter, entry.attributes))) return [];
    const score = joinScores(words.get(passage.id) ?? 0, near.get(passage.id) ?? 0);
    return [{ passage, score, fileName: entry.fileName, attributes: entry.attributes }];
  });
  return hits
    .filter(({ score }) => score >= threshold)
    .sort((a, b) => b.score - a.score || a.passage.id - b.passage.id)
    .slice(0, limit);
}

/** The files of what was found. */
async function entriesOf(
  { entries }: FileStores,
  vectorStoreId: string,
  found: readonly Passage[],
): Promise<ReadonlyMap<string, StoreEntry & { readonly fileName: string }>> {
  const read = await entries.listRead(vectorStoreId, [...new Set(found.map(({ fileId }) => fileId))]);
  return new Map(read.map((entry) => [entry.fileId, entry]));
}
