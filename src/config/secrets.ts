const SECRET_SEGMENTS = new Set(
  "key keys apikey password passwd passphrase pwd secret secrets token auth authorization credential credentials access private certificate license salt dsn jwt webhook".split(
    " ",
  ),
);
const SECRET_NAMES = new Set(["database_url", "redis_url", "smtp_url", "alert_to_webhook_url"]);
const PUBLIC_NAMES = new Set([
  "access_groups",
  "credential_list",
  "credential_name",
  "key_headers",
  "litellm_credential_name",
  "litellm_key_header_name",
  "metrics_access",
]);

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

const SHOWN_LENGTH_MAX = 80;

/** A name from the file as it may stand in a message: no secret, no control character, not endless. */
export function shown(name: string): string {
  const masked = maskSecretShapes(name).replace(/\p{C}/gu, "?");
  return masked.length > SHOWN_LENGTH_MAX ? `${masked.slice(0, SHOWN_LENGTH_MAX)}...` : masked;
}
