import { isOfConnection, PASSED_METHODS, type PassedMethod, type PassThrough } from "../contract/pass-through.ts";
import type { Place } from "./fault.ts";
import { PASS_THROUGH } from "./keys/pass-through.ts";
import { readUrl } from "./read-server.ts";
import { readUsd } from "./read-usd.ts";
import { readText } from "./read-value.ts";
import { type Scope, unsetMessage } from "./scope.ts";
import { Section } from "./section.ts";
import { childPath, describe, type Node } from "./tree.ts";

const KEY = "pass_through_endpoints";
/** One segment or more, none of them empty or of dots alone. */
const PATH = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+$/;
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
/** What a header can carry. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const REFERENCE = /os\.environ\/([A-Za-z_][A-Za-z0-9_]*)/g;

/** An entry of the file, and where its path stands there. */
export interface PlacedEndpoint {
  readonly endpoint: PassThrough;
  readonly at: Place;
  readonly path: string;
}

/** Paths whose calls go on to another address. */
export function readPassThroughs(general: Section): readonly PlacedEndpoint[] {
  const field = general.field(KEY);
  if (field === null) return [];
  if (field.node.kind !== "list") {
    general.fault(KEY, `expected a list, found ${describe(field.node)}`);
    return [];
  }
  const taken = new Set<string>();
  return field.node.items.flatMap((node, index) => {
    const path = childPath(field.path, index);
    const entry = new Section(general.scope).add(node, path, KEY, PASS_THROUGH);
    if (node.kind === "map") for (const key of ["path", "target"]) entry.require(key, node.at, path);
    const read = readEntry(entry);
    for (const method of read?.methods ?? []) {
      const name = `${method} ${read?.path}`;
      if (taken.has(name)) entry.fault("path", `${name} is listed before; keep one of them`);
      taken.add(name);
    }
    const place = entry.field("path");
    return read === null || place === null ? [] : [{ endpoint: read, at: place.node.at, path: place.path }];
  });
}

function readEntry(entry: Section): PassThrough | null {
  const path = readPath(entry);
  const target = readTarget(entry);
  const needsKey = entry.boolean("auth") ?? true;
  const costPerRequest = readUsd(entry, "cost_per_request");
  if (!needsKey && costPerRequest) {
    entry.fault("cost_per_request", "is charged to whoever calls, and `auth: false` asks nobody; remove one of them");
  }
  const rest = {
    methods: readMethods(entry),
    includeSubpath: entry.boolean("include_subpath") ?? false,
    headers: readHeaders(entry),
    query: readPairs(entry, "default_query_params"),
    forwardHeaders: entry.boolean("forward_headers") ?? false,
    timeoutMs: readTimeout(entry),
  };
  return path === null || target === null ? null : { path, target, needsKey, costPerRequest, ...rest };
}

function readPath(entry: Section): string | null {
  const path = entry.text("path")?.replace(/\/+$/, "") ?? null;
  if (path === null || PATH.test(path)) return path;
  const advice = "for all paths under it add `include_subpath: true`";
  entry.fault("path", `expected a path such as /bria of letters, digits and . _ ~ -; ${advice}`);
  return null;
}

function readTarget(entry: Section): string | null {
  const target = readUrl(entry, "target", /^https?:$/, "http:// or https://");
  if (target === null) return null;
  const { username, password, hash } = new URL(target);
  if (username !== "" || password !== "") {
    entry.fault("target", "holds a name or a password: send them in `headers`, as `Authorization`");
  }
  if (hash !== "") entry.fault("target", "has a `#`, and what follows it is never sent");
  return target;
}

function readMethods(entry: Section): readonly PassedMethod[] {
  const named = entry.texts("methods")?.map((text) => text.toUpperCase()) ?? [];
  const methods = PASSED_METHODS.filter((method) => named.includes(method));
  if (methods.length < new Set(named).size) entry.fault("methods", `possible are ${PASSED_METHODS.join(", ")}`);
  return named.length === 0 ? PASSED_METHODS : methods;
}

function readTimeout(entry: Section): number | null {
  const seconds = entry.number("timeout", { unit: "seconds" });
  return seconds === null || seconds === 0 ? null : Math.round(seconds * 1000);
}

function readHeaders(entry: Section): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(readPairs(entry, "headers"))) {
    const lower = name.toLowerCase();
    if (!HEADER_NAME.test(name)) entry.fault("headers", "has a name that no header can have");
    else if (isOfConnection(lower)) entry.fault("headers", `has \`${lower}\`, which goes with each connection`);
    else if (lower in headers) entry.fault("headers", `has \`${lower}\` twice, in two spellings`);
    else if (!HEADER_VALUE.test(value)) entry.fault("headers", `has a character in \`${lower}\` that cannot be sent`);
    headers[lower] = value;
  }
  return headers;
}

/** Names and texts, in which `os.environ/NAME` may also stand behind something else, such as `Bearer`. */
function readPairs(entry: Section, key: string): Readonly<Record<string, string>> {
  const map = entry.map(key);
  if (map === null) return {};
  const pairs = [...map.node.entries].flatMap(([name, { value }]) => {
    const text = readFilled(entry.scope, value, childPath(map.path, name));
    return text === null ? [] : [[name, text] as const];
  });
  return Object.fromEntries(pairs);
}

function readFilled(scope: Scope, node: Node, path: string): string | null {
  const text = readText(scope, node, path);
  // What a variable holds is taken as it is.
  if (text === null || node.kind !== "scalar" || text !== node.text) return text;
  return text.replace(REFERENCE, (_, variable: string) => {
    const value = scope.variable(variable);
    if (value) return value;
    scope.report.fault(node.at, path, unsetMessage(variable));
    return "";
  });
}
