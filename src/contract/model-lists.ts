/** Names that a list of models may hold beside those of groups, as clients of this interface know them. */

/** Whatever the wider lists allow. */
export const EVERY_MODEL: ReadonlySet<string> = new Set(["all-proxy-models", "all-team-models"]);

/** Nothing: it stands where an empty list would mean everything. */
export const NO_MODELS = "no-default-models";
