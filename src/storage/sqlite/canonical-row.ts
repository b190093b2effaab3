import type { Row } from "./protocol.ts";

/**
 * SQLite hands every integer over as a bigint. The declared column type says which ones PostgreSQL would
 * give as a number or a boolean; BIGINT and expressions such as count(*) stay bigint in both.
 */
export function makeCanonical(rows: Row[], names: readonly string[], types: readonly (string | null)[]): Row[] {
  for (const [index, name] of names.entries()) {
    const convert = conversionFor(types[index] ?? null);
    if (convert === null) continue;
    for (const row of rows) row[name] = convert(row[name]);
  }
  return rows;
}

function conversionFor(declared: string | null): ((value: unknown) => unknown) | null {
  switch (declared?.toUpperCase()) {
    case "INTEGER":
      return toNumber;
    case "BOOLEAN":
      return toBoolean;
    default:
      return null;
  }
}

function toNumber(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}

function toBoolean(value: unknown): unknown {
  return typeof value === "bigint" ? value !== 0n : value;
}
