import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import Type, { type Static } from "typebox";
import { Compile } from "typebox/compile";

const Text = Type.String({ minLength: 1 });
const Texts = Type.Record(Type.String(), Type.String());
const closed = { additionalProperties: false } as const;

const PeerSchema = Type.Object(
  {
    name: Type.String({ pattern: "^[a-z0-9][a-z0-9-]*$" }),
    /** The features that are on, for the page of results. */
    features: Text,
    /** A gateway that runs already, and the process to measure. */
    address: Type.Optional(Text),
    pid: Type.Optional(Type.Integer({ minimum: 1 })),
    /** A gateway that the benchmark starts. */
    command: Type.Optional(Type.Array(Text, { minItems: 1 })),
    env: Type.Optional(Texts),
    /** Configuration files in the folder of the peers file; placeholders in them are replaced. */
    templates: Type.Optional(Type.Array(Text)),
    model: Text,
    /** Names of the models with an upstream that does not speak OpenAI's interface. */
    models: Type.Optional(Type.Object({ anthropic: Type.Optional(Text), gemini: Type.Optional(Text) }, closed)),
    headers: Type.Optional(Texts),
    /** A path that needs neither a key nor the upstream. */
    ping: Type.Optional(Text),
  },
  closed,
);
const PeersSchema = Type.Object({ peers: Type.Array(PeerSchema, { minItems: 1 }) }, closed);

/** One peer of the file, with the folder of the file, in which its templates are. */
export type Peer = Static<typeof PeerSchema> & { readonly folder: string };

export const PLACEHOLDERS = ["upstream", "upstream_port", "port", "folder", "peers"] as const;
export type Placeholders = Readonly<Record<(typeof PLACEHOLDERS)[number], string>>;

/** Replaces the placeholders in a text. Other braces stay: configuration files contain many. */
export function fillPlaceholders(text: string, values: Placeholders): string {
  return PLACEHOLDERS.reduce((filled, name) => filled.replaceAll(`{${name}}`, values[name]), text);
}

export function readPeersFile(path: string): Peer[] {
  return parsePeers(readFileSync(path, "utf8"), resolve(path));
}

/** Throws one error with every problem of the file. */
export function parsePeers(text: string, path: string): Peer[] {
  const fail = (problems: readonly string[]): never => {
    throw new Error(`${basename(path)} is not a valid peers file:\n${problems.map((each) => `  ${each}`).join("\n")}`);
  };
  const value = parseJson(text, fail);
  const validator = Compile(PeersSchema);
  if (!validator.Check(value)) return fail(validator.Errors(value).map(describeError));
  const problems = [
    ...value.peers.flatMap((peer, index) => findProblems(peer).map((problem) => `peers[${index}] ${problem}`)),
    ...findRepeatedNames(value.peers.map(({ name }) => name)),
  ];
  if (problems.length > 0) fail(problems);
  return value.peers.map((peer) => ({ ...peer, folder: dirname(path) }));
}

function parseJson(text: string, fail: (problems: readonly string[]) => never): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return fail([`The file must contain JSON: ${(error as Error).message}`]);
  }
}

function describeError({
  instancePath,
  message,
  params,
}: ReturnType<ReturnType<typeof Compile>["Errors"]>[number]): string {
  const place = instancePath
    .split("/")
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
  const unknown = "additionalProperties" in params ? `: ${params.additionalProperties.join(", ")}` : "";
  return `${place || "The file"} ${message}${unknown}`;
}

function findProblems({ address, command, env, headers, pid, templates }: Omit<Peer, "folder">): string[] {
  if ((address === undefined) === (command === undefined)) {
    return ["must have either `address` or `command`, and not both"];
  }
  const problems: string[] = [];
  if (address !== undefined && !isLoopback(address)) {
    problems.push("must have an `address` on this machine, such as http://127.0.0.1:8080");
  }
  if (address !== undefined && (env ?? templates) !== undefined) {
    problems.push("must not have `env` or `templates` without a `command`");
  }
  if (command !== undefined && pid !== undefined) problems.push("must not have a `pid` with a `command`");
  const texts = [...(command ?? []), ...Object.values({ ...env, ...headers })];
  const unknown = texts.flatMap((text) => [...text.matchAll(/\{([a-z_]+)\}/g)].map(([, name = ""]) => name));
  for (const name of new Set(unknown)) {
    if ((PLACEHOLDERS as readonly string[]).includes(name)) continue;
    problems.push(`has the unknown placeholder {${name}}; use ${PLACEHOLDERS.map((each) => `{${each}}`).join(", ")}`);
  }
  return problems;
}

/** Over a network, the network would be measured. */
function isLoopback(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { hostname, protocol } = new URL(address);
  return protocol === "http:" && ["127.0.0.1", "localhost"].includes(hostname);
}

function findRepeatedNames(names: readonly string[]): string[] {
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  return [...repeated].map((name) => `The name ${name} must be used once only`);
}
