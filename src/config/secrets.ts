const SECRET_SEGMENTS = new Set(
  "key keys apikey password passwd passphrase pwd secret secrets token auth authorization credential credentials access private certificate license salt dsn jwt webhook".split(
    " ",
  ),
);
const SECRET_NAMES = new Set(["database_url", "redis_url", "smtp_url", "alert_to_webhook_url"]);
/** Names that only sound like a secret's; most are numbers, or true or false. */
const PUBLIC_NAMES = new Set(
  `access_groups credential_list credential_name key_headers litellm_credential_name litellm_key_header_name
   metrics_access ui_access_mode custom_auth custom_key_generate custom_key_update key_management_system
   enable_jwt_auth enable_oauth2_auth enable_oauth2_proxy_auth allow_user_auth infer_model_from_keys
   allow_client_side_credentials forward_llm_provider_auth_headers use_client_credentials_pass_through_routes
   disable_master_key_return disable_adding_master_key_hash_to_db use_azure_key_vault user_api_key_cache_ttl
   redact_user_api_key_info enable_key_alias_format_validation require_auth_for_metrics_endpoint
   default_api_key_tpm_limit default_api_key_rpm_limit`.split(/\s+/),
);

/** Whether a setting of this name holds something that must not be shown. */
export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase();
  if (PUBLIC_NAMES.has(lower)) return false;
  if (SECRET_NAMES.has(lower)) return true;
  const segments = lower.split(/[^a-z0-9]+/);
  return !segments.includes("cost") && segments.some((segment) => SECRET_SEGMENTS.has(segment));
}

export const MASK = "***";

/** Shapes of keys that people paste into the wrong place. */
const SECRET_SHAPES = [
  /\b(?:sk|xox[a-z])-[\w-]{6,}/gi,
  /\b(?:AKIA|AIza)[\w-]{12,}/g,
  /\bBearer\s+\S+/gi,
  /(?<=:\/\/)[^\s/@]+(?=@)/g,
  /(?<=\?)\S+/g,
  /[A-Za-z0-9]{32,}/g,
];

export function maskSecretShapes(text: string): string {
  return SECRET_SHAPES.reduce((masked, shape) => masked.replace(shape, MASK), text);
}

/** The name of a variable, which is no secret whatever it holds. */
export const isReference = (text: string): boolean => /^["']?os\.environ\/[A-Z][A-Z0-9_]*["']?$/.test(text);

/** Shapes of what is no secret: a number, true or false. */
export const isPlain = (text: string): boolean =>
  /^(?:true|false|yes|no|on|off|[-+]?\d[\d_]{0,14}(?:\.\d{1,15})?(?:e[-+]?\d{1,3})?)$/i.test(text);

const SHOWN_LENGTH_MAX = 80;

/** A name from the file as it may stand in a message: no secret, no control character, not endless. */
export function shown(name: string): string {
  const masked = maskSecretShapes(name).replace(/\p{C}/gu, "?");
  return masked.length > SHOWN_LENGTH_MAX ? `${masked.slice(0, SHOWN_LENGTH_MAX)}...` : masked;
}
