/** The variable that examples take a key from: the README, the command line and the first start name the same. */
export const KEY_VARIABLE = "TURNPIKE_KEY";

/** Where an example calls, and with which key. */
export interface CodeTarget {
  readonly origin: string;
  /** The header that the server takes keys from, lower case. */
  readonly keyHeader: string;
  /** The key itself where it is at hand, else it is taken from the variable. */
  readonly apiKey?: string | undefined;
}

const isBearer = ({ keyHeader }: CodeTarget): boolean => keyHeader === "authorization";

/** The header of a call with curl. */
export function keyForCurl(target: CodeTarget): string {
  const key = target.apiKey ?? `$${KEY_VARIABLE}`;
  return isBearer(target) ? `-H "Authorization: Bearer ${key}"` : `-H "${target.keyHeader}: ${key}"`;
}

/** OpenAI's client sends its key as a bearer value; where the server wants it elsewhere, it is sent there as well. */
export function pythonClient(target: CodeTarget): string {
  const { origin, keyHeader, apiKey } = target;
  const imports = apiKey === undefined ? "import os\n\nfrom openai import OpenAI\n" : "from openai import OpenAI\n";
  const key = apiKey === undefined ? `os.environ["${KEY_VARIABLE}"]` : JSON.stringify(apiKey);
  const url = JSON.stringify(`${origin}/v1`);
  if (isBearer(target)) return `${imports}\nclient = OpenAI(base_url=${url}, api_key=${key})\n`;
  return `${imports}
key = ${key}
client = OpenAI(
    base_url=${url},
    api_key=key,
    default_headers={${JSON.stringify(keyHeader)}: key},
)
`;
}

export const keyInTypeScript = ({ apiKey }: CodeTarget): string =>
  apiKey === undefined ? `process.env.${KEY_VARIABLE}` : JSON.stringify(apiKey);

/** The same in TypeScript. */
export function typeScriptClient(target: CodeTarget): string {
  const { origin, keyHeader } = target;
  const key = keyInTypeScript(target);
  const url = JSON.stringify(`${origin}/v1`);
  const imports = `import OpenAI from "openai";\n`;
  if (isBearer(target)) return `${imports}\nconst client = new OpenAI({ baseURL: ${url}, apiKey: ${key} });\n`;
  return `${imports}
const key = ${key};
const client = new OpenAI({
  baseURL: ${url},
  apiKey: key,
  defaultHeaders: { ${JSON.stringify(keyHeader)}: key },
});
`;
}
