import { SetupError } from "../../contract/setup-error.ts";
import { deploymentHeaders } from "../deployment-headers.ts";
import type { Target } from "../dialect.ts";
import { perTarget } from "../worked-out-once.ts";

const DEFAULT_BASE = "https://api.anthropic.com";
const DEFAULT_VERSION = "2023-06-01";

/** The address of the Messages interface. Bases with and without `/v1`, or the whole path, are all in use. */
export const messagesUrl = perTarget((target) => {
  const base = target.apiBase ?? target.env("ANTHROPIC_BASE_URL") ?? target.env("ANTHROPIC_API_BASE") ?? DEFAULT_BASE;
  const root = base.replace(/\/+$/, "").replace(/\/v1(?:\/messages)?$/, "");
  return `${root}/v1/messages`;
});

type RequestHeaders = Readonly<Record<string, string>>;

/** One object for all calls that ask for nothing in particular: whoever sends them keeps what it makes of it. */
export function requestHeaders(target: Target, betas: RequestHeaders | null): RequestHeaders {
  const usual = usualHeaders(target);
  return betas === null ? usual : { ...usual, ...betas };
}

const usualHeaders = perTarget(
  (target): RequestHeaders => ({
    "content-type": "application/json",
    "anthropic-version": target.apiVersion ?? DEFAULT_VERSION,
    ...credentials(target),
    ...deploymentHeaders(target),
  }),
);

function credentials(target: Target): Record<string, string> {
  const key = target.apiKey ?? target.env("ANTHROPIC_API_KEY");
  if (key) return { "x-api-key": key };
  const token = target.env("ANTHROPIC_AUTH_TOKEN");
  if (token) return { authorization: `Bearer ${token}` };
  throw new SetupError(
    "upstream_authentication",
    "Anthropic needs a key: set api_key in the deployment or ANTHROPIC_API_KEY in the environment.",
  );
}
