import type { ErrorCode } from "yaml";

const SAME_COLUMN = "put as many spaces before it as before the keys that it belongs with";

/** Our own words: the parser's messages quote the source, which may be a key. */
const MESSAGES: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias (`*name`) cannot have an anchor or a tag of its own",
  BAD_ALIAS: "an alias (`*name`) needs a name of letters, digits, `-` and `_`",
  BAD_COLLECTION_TYPE: "the tag does not fit the kind of collection that follows it",
  BAD_DIRECTIVE: "a directive (`%...`) that is not known",
  BAD_DQ_ESCAPE:
    "an escape that is not valid between double quotes; write `\\\\` for a backslash, or use single quotes",
  BAD_INDENT: `the indentation does not fit: ${SAME_COLUMN}, and close brackets that are open above it`,
  BAD_PROP_ORDER: "an anchor or tag must stand before the value",
  BAD_SCALAR_START: "a value cannot start with this character; put it in quotes",
  BLOCK_AS_IMPLICIT_KEY: `a list or map cannot start here: is the next line indented too far? If so, ${SAME_COLUMN}; else begin it on a line of its own`,
  BLOCK_IN_FLOW: "indented blocks cannot stand between brackets",
  DUPLICATE_KEY: "this key stands twice in the same map; the first one would be used",
  IMPOSSIBLE: "this cannot be read as YAML",
  KEY_OVER_1024_CHARS: "a key is longer than 1024 characters",
  MISSING_CHAR: `a closing quote or bracket, a comma or a space is missing at or before this place; or the line is indented wrongly: ${SAME_COLUMN}`,
  MULTILINE_IMPLICIT_KEY: "a key must stand on one line; is a `:` missing?",
  MULTIPLE_ANCHORS: "a value can have one anchor",
  MULTIPLE_DOCS: "one file holds one document; remove the `---`",
  MULTIPLE_TAGS: "a value can have one tag",
  NON_STRING_KEY: "keys must be plain text",
  RESOURCE_EXHAUSTION: "the file is nested too deeply or repeats itself too often",
  TAB_AS_INDENT: "a tab cannot indent; use spaces",
  TAG_RESOLVE_FAILED: "a tag (`!...`) that is not known; remove it",
  UNEXPECTED_TOKEN: "something stands here that YAML does not expect; put text with special characters in quotes",
};

/** After these the parser is back on track, so that what follows can be trusted. */
const RECOVERABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "BAD_DQ_ESCAPE",
  "DUPLICATE_KEY",
  "MULTIPLE_DOCS",
  "TAG_RESOLVE_FAILED",
]);

export function yamlMessage(code: ErrorCode): string {
  return MESSAGES[code] ?? MESSAGES.IMPOSSIBLE;
}

export function isRecoverable(code: ErrorCode): boolean {
  return RECOVERABLE.has(code);
}
