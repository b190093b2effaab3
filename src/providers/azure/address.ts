import type { Operation } from "../../contract/params.ts";
import type { Target } from "../dialect.ts";
import { findVariable, missingBase } from "../openai/credentials.ts";
import { joinPath, PATHS, RESPONSES_PATH, withoutEndSlashes } from "../openai/paths.ts";
import { deploymentName } from "./deployment.ts";

const VERSION_DEFAULT = "2024-10-21";
/** From here on a stream can be asked for its usage; versions before refuse the field. */
const STREAM_OPTIONS_SINCE = "2024-09-01";

const baseOf = (target: Target): string | undefined => target.apiBase ?? findVariable(target, ["AZURE_API_BASE"]);

/** Azure shows the address of a deployment with its path and its version, and so it is copied. */
const azureVersion = (target: Target): string =>
  target.apiVersion ??
  /[?&]api-version=([\w.-]+)/.exec(baseOf(target) ?? "")?.[1] ??
  findVariable(target, ["AZURE_API_VERSION"]) ??
  VERSION_DEFAULT;

/** Versions of the older form are dates, which sort as text; the newer form has names. */
export const knowsStreamOptions = (target: Target): boolean => {
  const version = azureVersion(target);
  return !/^\d/.test(version) || version >= STREAM_OPTIONS_SINCE;
};

/**
 * The older form names the deployment in the path: `/openai/deployments/{name}/...?api-version=2024-10-21`. The newer
 * one is OpenAI's own below `/openai/v1`, where a version is named only for what is in preview.
 */
export function azureUrl(operation: Operation, target: Target): string {
  const base = plainBase(target);
  const version = azureVersion(target);
  if (base.endsWith("/openai/v1") || isNamed(version)) return newerUrl(base, PATHS[operation], version);
  const deployment = encodeURIComponent(deploymentName(target.upstreamModel));
  if (operation === "realtime") return realtimeUrl(base, version, deployment);
  const root = base.includes("/openai/deployments/") ? base : `${withoutOpenAi(base)}/openai/deployments/${deployment}`;
  return `${joinPath(root, PATHS[operation])}?api-version=${encodeURIComponent(version)}`;
}

/** Sessions stand beside the deployments as well, and have theirs in the query. */
function realtimeUrl(base: string, version: string, deployment: string): string {
  const root = withoutOpenAi(base.replace(/\/deployments\/.*$/, ""));
  return `${root}/openai${PATHS.realtime}?api-version=${encodeURIComponent(version)}&deployment=${deployment}`;
}

/** Responses stand beside the deployments and name theirs in the body; versions from before there were any do as the newer form. */
export function azureResponsesUrl(target: Target): string {
  const base = plainBase(target).replace(/\/responses$|\/deployments\/.*$/, "");
  const version = azureVersion(target);
  const isOlder = /^\d/.test(version) && version >= RESPONSES_SINCE && !base.endsWith("/openai/v1");
  if (!isOlder) return newerUrl(base, RESPONSES_PATH, version);
  return `${withoutOpenAi(base)}/openai${RESPONSES_PATH}?api-version=${encodeURIComponent(version)}`;
}

const RESPONSES_SINCE = "2025-03-01";

function plainBase(target: Target): string {
  const given = baseOf(target);
  if (given === undefined) throw missingBase("Azure OpenAI", "AZURE_API_BASE");
  return withoutEndSlashes(given.replace(/[?#].*$/, ""));
}

const isNamed = (version: string): boolean => version === "v1" || version === "latest" || version === "preview";

function newerUrl(base: string, path: string, version: string): string {
  const root = base.endsWith("/openai/v1") ? base : `${withoutOpenAi(base)}/openai/v1`;
  return joinPath(root, path) + (version === "preview" ? "?api-version=preview" : "");
}

const withoutOpenAi = (base: string): string => base.replace(/\/openai$/, "");
