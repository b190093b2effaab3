import { words } from "./keys/key-table.ts";
import { PARAM_BOOLEANS, PARAM_NUMBERS } from "./keys/litellm-params.ts";
import { MODEL_INFO_BOOLEANS, MODEL_INFO_NUMBERS } from "./keys/model-info.ts";
import { isPriceKey } from "./keys/prices.ts";

/** Parameters that hold no secret, whoever fills them in. A list of what may be seen: a new name is a secret until it is on it. */
const OPEN_PARAMS: ReadonlySet<string> = new Set([
  ...PARAM_NUMBERS,
  ...PARAM_BOOLEANS,
  ...words("model custom_llm_provider api_version litellm_credential_name budget_duration"),
  ...words("region_name aws_region_name vertex_project vertex_location watsonx_region_name"),
]);

const OPEN_INFO: ReadonlySet<string> = new Set([
  ...MODEL_INFO_NUMBERS,
  ...MODEL_INFO_BOOLEANS,
  ...words("id base_model mode access_groups supported_openai_params"),
]);

export const isOpenParam = (name: string): boolean => OPEN_PARAMS.has(name) || isPriceKey(name);
export const isOpenInfo = (name: string): boolean => OPEN_INFO.has(name) || isPriceKey(name);
