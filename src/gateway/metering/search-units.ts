import { isRecord } from "../../lib/json.ts";
import type { Fields } from "../call/gateway.ts";
import type { PromptMeasure } from "./prompt-size.ts";

/** A search unit is a query with so many documents. Longer documents are divided, and each part counts as one. */
const DOCUMENTS_PER_UNIT = 100;
/** A part has 500 tokens with its query. Half of that is left for the query, and each byte counts as a token. */
const BYTES_PER_PART = 250;

/** An upper bound of the search units of a reranking call. */
export const searchesAtMost = (fields: Fields, { bytes }: Pick<PromptMeasure, "bytes">): number =>
  unitsOf(documentsOf(fields) + bytes / BYTES_PER_PART);

/** The search units that a provider reports, up to what is possible; the gateway's own count if it reports none. */
export function searchesOf(meta: unknown, fields: Fields, measure: Pick<PromptMeasure, "bytes">): number {
  const billed = isRecord(meta) && isRecord(meta.billed_units) ? meta.billed_units.search_units : null;
  if (typeof billed !== "number" || !(billed >= 1)) return unitsOf(documentsOf(fields));
  return Math.min(Math.ceil(billed), searchesAtMost(fields, measure));
}

const unitsOf = (documents: number): number => Math.max(1, Math.ceil(documents / DOCUMENTS_PER_UNIT));

const documentsOf = ({ documents }: Fields): number => (Array.isArray(documents) ? documents.length : 1);
