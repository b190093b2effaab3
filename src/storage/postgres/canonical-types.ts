import { type CustomTypesConfig, types } from "pg";

const INT8 = 20;
const BYTEA = 17;
const NUMERIC = 1700;

type Parser = (text: string) => unknown;

const parseBytea = types.getTypeParser(BYTEA, "text");

const PARSERS: ReadonlyMap<number, Parser> = new Map<number, Parser>([
  [INT8, BigInt],
  // PostgreSQL widens sum(bigint) to numeric, which must not leave the integers; avg() always has a point.
  [NUMERIC, (text) => (/^-?\d+$/.test(text) ? BigInt(text) : Number(text))],
  [BYTEA, (text) => new Uint8Array(parseBytea(text))],
]);

/** The values that SQLite gives too. Set on the pool, because pg's own registry is shared by the whole process. */
export const canonicalTypes: CustomTypesConfig = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (format === "binary") return types.getTypeParser(oid, "binary");
    return PARSERS.get(oid) ?? types.getTypeParser(oid, "text");
  },
};
