import type { Static } from "typebox";
import { PRICE_FIELDS } from "../../catalog/own-prices.ts";
import type { CreateAdminModelBody, UpdateAdminModelBody } from "../../contract/admin-models.ts";
import { type FieldFault, GatewayError } from "../../contract/errors.ts";
import { eitherOf, requiredOf } from "../../contract/organizations.ts";
import { writtenModel } from "../../contract/upstream-form.ts";
import { type Entry, type EntryChanges, entryFault } from "../../models/entry.ts";
import type { SeenModel } from "../../models/seen-model.ts";

type Fields = Record<string, unknown>;
type Settings = Omit<UpdateAdminModelBody, "status" | "name" | "provider">;
type Changes = Omit<UpdateAdminModelBody, "status">;

/** A new model in the words of the configuration file. */
export function entryOf(body: Static<typeof CreateAdminModelBody>): Entry {
  const model = requiredOf("inferenceModelId", body.inferenceModelId, body.inference_model_id);
  const { params, info } = settingsOf(body);
  return {
    group: body.name ?? model,
    params: withoutNulls({ ...params, model: fullName(body.provider, model) }),
    info: withoutNulls({ ...info, ...(body.id ? { id: body.id } : {}) }),
  };
}

/** A change in the same words; what the body leaves out is left out. */
export function changesOf(body: Changes, present: SeenModel): EntryChanges {
  const model = eitherOf(body.inferenceModelId, body.inference_model_id);
  const { params, info } = settingsOf(body);
  const isMoved = model !== undefined || body.provider !== undefined;
  const named = fullName(
    body.provider ?? present.provider,
    model ?? (present.deployment ? writtenModel(present.deployment) : ""),
  );
  return {
    ...(body.name === undefined ? {} : { group: body.name }),
    params: isMoved ? { ...params, model: named, custom_llm_provider: null } : params,
    info,
  };
}

const fullName = (provider: string, model: string): string => (provider === "*" ? model : `${provider}/${model}`);

/** Kinds of models that the platform has another name for. */
const MODES: Readonly<Record<string, string>> = { image: "image_generation" };

function settingsOf(body: Settings): { params: Fields; info: Fields } {
  const { type } = body;
  const mode = typeof type === "string" ? (MODES[type] ?? type) : type;
  return {
    params: {
      ...body.params,
      ...given({
        api_key: eitherOf(body.apiKey, body.api_key),
        api_base: eitherOf(body.apiBase, body.api_base),
        api_version: eitherOf(body.apiVersion, body.api_version),
        litellm_credential_name: eitherOf(body.credentialName, body.credential_name),
        ...pricesOf(body),
      }),
    },
    info: {
      ...body.info,
      ...given({
        mode,
        access_groups: eitherOf(body.accessGroups, body.access_groups),
        max_input_tokens: eitherOf(body.contextLength, body.context_length),
        max_output_tokens: eitherOf(body.maxOutputTokens, body.max_output_tokens),
      }),
    },
  };
}

/** Nano-USD per million are femto-USD for one: the decimal is written out, never divided. */
const perUnit = (nano: number | null | undefined) => (typeof nano === "number" ? `${nano}e-15` : nano);

function pricesOf(body: Settings): Fields {
  const named = Object.entries(body.prices ?? {}).map(([name, price]) => [priceField(name), price] as const);
  return {
    input_cost_per_token: perUnit(eitherOf(body.inputPrice, body.input_price)),
    output_cost_per_token: perUnit(eitherOf(body.outputPrice, body.output_price)),
    cache_read_input_token_cost: perUnit(eitherOf(body.cachedInputPrice, body.cached_input_price)),
    ...Object.fromEntries(named),
  };
}

function priceField(name: string): string {
  const components: Readonly<Record<string, readonly string[]>> = PRICE_FIELDS;
  const field = Object.hasOwn(components, name) ? components[name]?.[0] : undefined;
  if (field !== undefined) return field;
  if (/_cost(_|$)/.test(name)) return name;
  const known = Object.keys(components).join(", ");
  throw entryFault([{ path: "prices", message: `\`${name.slice(0, 60)}\` is no price; there are ${known}` }]);
}

const given = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** What the platform calls a field that the configuration file has another name for. */
const PLATFORM_NAMES: Readonly<Record<string, string>> = {
  model_name: "name",
  "litellm_params.model": "inferenceModelId",
  "litellm_params.api_key": "apiKey",
  "litellm_params.api_base": "apiBase",
  "litellm_params.api_version": "apiVersion",
  "litellm_params.litellm_credential_name": "credentialName",
  "model_info.mode": "type",
  "model_info.access_groups": "accessGroups",
  "model_info.max_input_tokens": "contextLength",
  "model_info.max_output_tokens": "maxOutputTokens",
};

/** Runs a change; its faults are told with the names that the body has. */
export async function inPlatformWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.faults.length === 0) throw thrown;
    const faults = thrown.faults.map((fault) => {
      const [place = "body", ...path] = fault.loc;
      const name = PLATFORM_NAMES[path.join(".")];
      if (name === "inferenceModelId" && fault.msg.startsWith("unknown provider ")) return ofProvider(fault, place);
      const renamed = name === undefined ? path.map(platformPart) : [name];
      return { ...fault, loc: [place, ...renamed] };
    });
    throw new GatewayError(thrown.kind, thrown.message, { faults, cause: thrown });
  }
}

/** The configuration file has the provider in one name with the model; here it is a field of its own. */
const ofProvider = (fault: FieldFault, place: string | number): FieldFault => ({
  ...fault,
  loc: [place, "provider"],
  msg: fault.msg.replace("write `openai/` before the whole name", "it is `openai`"),
});

const platformPart = (part: string | number): string | number =>
  part === "litellm_params" ? "params" : part === "model_info" ? "info" : part;
