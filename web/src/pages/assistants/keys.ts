import type { KeyApi } from "../../api/key-api.ts";

/** Keys of queries: everything belongs to the team of the key it was read with. */
export const keyOf = ({ keyId }: KeyApi, ...rest: readonly string[]) => ["with-key", keyId, ...rest] as const;
