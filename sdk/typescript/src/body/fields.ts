/** What a request brought, whichever form it came in: names as on the wire, parameters as bytes. */
export type Fields = Map<string, unknown>;
