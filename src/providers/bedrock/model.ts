/** Who made a model decides which settings it takes; `unknown` where the name is an opaque ARN or a newcomer's. */
type Family = "claude" | "nova" | "mistral" | "gpt-oss" | "unknown";

export interface BedrockModel {
  /** The id or ARN that Bedrock knows. */
  readonly id: string;
  /** The region that the name itself has. */
  readonly region: string | null;
  readonly family: Family;
}

/** Which of Bedrock's interfaces a name asks for; Converse serves the chat models of all of them. */
const ROUTE = /^(?:bedrock\/|converse\/|converse_like\/|invoke\/)/;
const REGION_FOLDER = /^([a-z]{2}(?:-[a-z]+)+-\d)\//;

/**
 * `converse/us-west-2/anthropic.claude-...`: the interface and the region may stand before the id. Prefixes such as `us.`
 * belong to the id: they name an inference profile.
 */
export function parseModel(name: string): BedrockModel {
  let id = name;
  while (ROUTE.test(id)) id = id.replace(ROUTE, "");
  const folder = REGION_FOLDER.exec(id)?.[1] ?? null;
  if (folder !== null) id = id.slice(folder.length + 1);
  return { id, region: folder ?? regionOfArn(id), family: familyOf(id) };
}

function regionOfArn(id: string): string | null {
  const region = id.startsWith("arn:") ? id.split(":")[3] : undefined;
  return region === undefined || region === "" ? null : region;
}

const FAMILIES: readonly (readonly [RegExp, Family])[] = [
  [/claude/, "claude"],
  [/amazon\.nova/, "nova"],
  [/mistral\./, "mistral"],
  [/openai\.gpt-oss/, "gpt-oss"],
];

function familyOf(id: string): Family {
  const name = id.toLowerCase();
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? "unknown";
}
