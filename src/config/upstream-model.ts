import { inferProvider } from "../contract/model-families.ts";
import { PROVIDER_IDS } from "../contract/provider-ids.ts";
import { didYouMean } from "../lib/spelling/suggest.ts";
import { shown } from "./secrets.ts";

export interface UpstreamModel {
  readonly provider: string;
  readonly model: string;
}

const KNOWN: ReadonlySet<string> = new Set(PROVIDER_IDS);

/** Splits `provider/model` and finds the provider of a bare name; the string is what is wrong, for people. */
export function parseUpstreamModel(
  name: string,
  given: { readonly provider: string | null; readonly hasApiBase: boolean },
): UpstreamModel | string {
  const slash = name.indexOf("/");
  const prefix = slash === -1 ? "" : name.slice(0, slash);
  if (given.provider !== null) {
    if (!KNOWN.has(given.provider)) return unknownProvider(given.provider);
    return { provider: given.provider, model: prefix === given.provider ? name.slice(slash + 1) : name };
  }
  if (slash !== -1) {
    if (slash === name.length - 1) return "the model's name is missing after the slash";
    if (KNOWN.has(prefix)) return { provider: prefix, model: name.slice(slash + 1) };
    const problem = unknownProvider(prefix);
    if (!given.hasApiBase) return problem;
    const end = problem.endsWith("?") ? "" : ".";
    return `${problem}${end} For a server with OpenAI's interface, write \`openai/\` before the whole name`;
  }
  if (given.hasApiBase) return { provider: "openai", model: name };
  const provider = inferProvider(name);
  if (provider !== null) return { provider, model: name };
  if (name === "*") return { provider: "*", model: "*" };
  return `no provider is known for \`${shown(name)}\`; write \`provider/model\`, such as \`openai/${shown(name)}\``;
}

function unknownProvider(id: string): string {
  return `unknown provider \`${shown(id)}\`${didYouMean(id, PROVIDER_IDS)}`;
}
