/** By what lists of keys can go. */
export const KEY_SORTS = ["name", "createdAt", "lastUsedAt", "expiresAt", "spend"] as const;

export const NEWEST_FIRST = { by: "createdAt", direction: "desc" } as const;
