import { GATEWAY_SETTINGS } from "./keys/gateway-settings.ts";
import { GENERAL_SETTINGS } from "./keys/general-settings.ts";
import { words } from "./keys/key-table.ts";
import { LITELLM_PARAMS } from "./keys/litellm-params.ts";
import { MODEL_INFO } from "./keys/model-info.ts";
import { ROUTER_SETTINGS } from "./keys/router-settings.ts";
import { CREDENTIAL_ENTRY, MODEL_ENTRY, TOP_LEVEL } from "./keys/top-level.ts";
import { isSecretName } from "./secrets.ts";

const TABLES = [
  TOP_LEVEL,
  MODEL_ENTRY,
  CREDENTIAL_ENTRY,
  GENERAL_SETTINGS,
  GATEWAY_SETTINGS,
  ROUTER_SETTINGS,
  LITELLM_PARAMS,
  MODEL_INFO,
];

/** Keys whose value has to come from a list. */
const CHOICES: ReadonlySet<string> = new Set(
  words(`
    guardrail mode action unreachable_fallback type scope provider log_level journal_sync metrics_access
    routing_strategy ui_access_mode`),
);

/** Of the smaller tables, what is a name, a number, or true or false; the rest of them is not shown. */
const SMALL: ReadonlySet<string> = new Set(
  words(`
    guardrail_name guardrail_info default_on reversible entities max_match_chars whole_words max_characters window_chars
    ttl namespace supported_call_types max_size_mb max_entry_kb hit_price_percent similarity_threshold charge_embeddings db
    secure starttls allow_test allow_private_webhooks allow_sign_up allow_private_participants parallel_runs keep_free_mb
    seller_name seller_address seller_tax_id`),
);

/** Whether the value of a setting may be shown to people. */
export const isShownKey = (key: string): boolean =>
  !isSecretName(key) && (CHOICES.has(key) || SMALL.has(key) || TABLES.some((table) => table.has(key)));

/** Whether it may be shown where it stands on one line with others, and is easily mistaken for one of them. */
export const isShownOnOneLine = (key: string): boolean => CHOICES.has(key) || NAMES.has(key);

const NAMES: ReadonlySet<string> = new Set(["model_name", "model", "guardrail_name"]);

/** Whether the keys of a map are ours. Others, such as `headers`, have keys that anybody thinks up. */
export const isOwnMap = (key: string): boolean => OWN_MAPS.has(key);

const OWN_MAPS: ReadonlySet<string> = new Set(
  words(`
    general_settings router_settings litellm_settings gateway_settings model_list guardrails litellm_params model_info
    cache_params billing training`),
);
