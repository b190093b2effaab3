import type { Operation } from "../../contract/params.ts";
import type { Target } from "../dialect.ts";
import { findVariable, missingBase } from "../openai/credentials.ts";
import { joinPath, PATHS, withoutEndSlashes } from "../openai/paths.ts";
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
  const given = baseOf(target);
  if (given === undefined) throw missingBase("Azure OpenAI", "AZURE_API_BASE");
  const base = withoutEndSlashes(given.replace(/[?#].*$/, ""));
  const version = azureVersion(target);
  const isNamed = version === "v1" || version === "latest" || version === "preview";
  if (base.endsWith("/openai/v1") || isNamed) {
    const root = base.endsWith("/openai/v1") ? base : `${withoutOpenAi(base)}/openai/v1`;
    return joinPath(root, PATHS[operation]) + (version === "preview" ? "?api-version=preview" : "");
  }
  const deployment = encodeURIComponent(deploymentName(target.upstreamModel));
  const root = base.includes("/openai/deployments/") ? base : `${withoutOpenAi(base)}/openai/deployments/${deployment}`;
  return `${joinPath(root, PATHS[operation])}?api-version=${encodeURIComponent(version)}`;
}

const withoutOpenAi = (base: string): string => base.replace(/\/openai$/, "");
