import { Answer } from "../../contract/gateway-admin/fields.ts";

/** What all of these operations are: theirs is the gateway's face, and what they take is stored. */
export const ANY = { auth: "any", stored: true, success: Answer } as const;
export const OPERATORS = { auth: "admin", stored: true, success: Answer } as const;

/** An answer with a key in it is kept by nobody on the way. */
export const NOT_STORED = { "cache-control": "no-store" };

/** As much of a list as these operations answer without pages. */
export const EVERYTHING = { page: 1, pageSize: 10_000 };
