/** What the limit of an answer is called. Nearly all upstreams know the older name, many of them no other. */
export const OLDER_LIMIT = { max_completion_tokens: "max_tokens" };

/** The newer name is the only one that the upstream takes. */
export const NEWER_LIMIT = { max_completion_tokens: null, max_tokens: "max_completion_tokens" };

/** The upstream takes both names. */
export const EITHER_LIMIT = { max_completion_tokens: null };
