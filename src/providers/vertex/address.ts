import { GatewayError } from "../../contract/errors.ts";
import { SetupError } from "../../contract/setup-error.ts";
import { deploymentHeaders } from "../deployment-headers.ts";
import type { Target, UpstreamRequest } from "../dialect.ts";
import { pathOf, withVersion } from "../gemini/address.ts";
import type { Platform } from "../gemini/platform.ts";
import { findCredentials, projectOf } from "./credentials.ts";

export const TITLE = "Vertex AI";
const DEFAULT_LOCATION = "us-central1";

export const vertexPlatform: Platform = {
  title: TITLE,
  takesCallIds: false,
  wrapsCountTokens: false,
  request: (target, method, body) => vertexRequest(target, modelPath(target.upstreamModel), method, body),
};

/** A tuned model is served at an endpoint, whose name is a number. */
const modelPath = (model: string): string =>
  /^\d+$/.test(model) ? `endpoints/${model}` : `publishers/google/models/${pathOf(model)}`;

/**
 * A request to something below a project's location. A key instead of a service account (Google's express mode) knows its
 * project itself, so the address has none.
 */
export function vertexRequest(target: Target, path: string, method: string, body: object): UpstreamRequest {
  const credentials = findCredentials(target);
  const content = { "content-type": "application/json", ...deploymentHeaders(target) };
  const location = locationOf(target);
  if (credentials === null && target.apiKey !== null) {
    return {
      url: `${root(target, "global")}/${path}:${method}`,
      headers: { ...content, "x-goog-api-key": target.apiKey },
      body: JSON.stringify(body),
    };
  }
  if (credentials === null) throw missing("credentials", "vertex_credentials", "VERTEXAI_CREDENTIALS");
  const project = setting(target, "vertex_project", "VERTEXAI_PROJECT") ?? projectOf(credentials);
  if (project === null) throw missing("a project", "vertex_project", "VERTEXAI_PROJECT");
  const place = `projects/${encodeURIComponent(project)}/locations/${location}`;
  return {
    url: `${root(target, location)}/${place}/${path}:${method}`,
    headers: content,
    body: JSON.stringify(body),
    sign: { kind: "google", credentials },
  };
}

function locationOf(target: Target): string {
  const location =
    setting(target, "vertex_location", "VERTEXAI_LOCATION") ?? target.env("VERTEX_LOCATION") ?? DEFAULT_LOCATION;
  // It becomes part of the host's name: anything but a location could send our token somewhere else.
  if (/^[a-z0-9-]{1,40}$/.test(location)) return location;
  throw new GatewayError("invalid_request", "vertex_location is not the name of a location.", {
    param: "vertex_location",
  });
}

function root(target: Target, location: string): string {
  const base = target.apiBase ?? target.env("VERTEXAI_API_BASE") ?? `https://${hostOf(location)}`;
  return withVersion(base, target.apiVersion ?? "v1");
}

/** Regions have hosts of their own, the two multi-regions another form, and the global location is the bare name. */
function hostOf(location: string): string {
  if (location === "global") return "aiplatform.googleapis.com";
  if (location === "us" || location === "eu") return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}

function setting(target: Target, param: string, variable: string): string | null {
  const given = target.params[param];
  if (typeof given === "string" && given !== "") return given;
  const found = target.env(variable);
  return found === undefined || found === "" ? null : found;
}

const missing = (what: string, param: string, variable: string): SetupError =>
  new SetupError(
    "upstream_authentication",
    `Vertex AI needs ${what}: set ${param} in the deployment or ${variable} in the environment.`,
  );
