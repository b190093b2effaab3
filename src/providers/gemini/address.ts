import { GatewayError } from "../../contract/errors.ts";
import { SetupError } from "../../contract/setup-error.ts";
import { deploymentHeaders } from "../deployment-headers.ts";
import type { Target } from "../dialect.ts";
import { perTarget } from "../worked-out-once.ts";
import type { Platform } from "./platform.ts";

const DEFAULT_BASE = "https://generativelanguage.googleapis.com";
const ENDS_WITH_VERSION = /\/v\d+(?:(?:alpha|beta)\d*)?$/;

export const geminiApi: Platform = {
  title: "Google Gemini",
  takesCallIds: true,
  wrapsCountTokens: true,
  request: (target, method, body) => ({
    url: `${modelAddress(target)}:${method}`,
    headers: requestHeaders(target),
    body: JSON.stringify(body),
  }),
};

const modelAddress = perTarget((target) => `${base(target)}/${resourceName(target.upstreamModel)}`);
const requestHeaders = perTarget((target) => ({
  "content-type": "application/json",
  "x-goog-api-key": key(target),
  ...deploymentHeaders(target),
}));

/** `models/gemini-2.5-flash`; a name that says its collection itself (`tunedModels/mine`) stays as it is. */
export const resourceName = (model: string): string =>
  model.includes("/") ? pathOf(model) : `models/${pathOf(model)}`;

/** A model's name as part of a path. It may come from the caller, so it must not lead anywhere else. */
export function pathOf(name: string): string {
  const segments = name.split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    throw new GatewayError("model_not_found", "A model of that name cannot exist.", { param: "model" });
  }
  return segments.map((segment) => encodeURIComponent(segment).replaceAll("%40", "@")).join("/");
}

/** The base with its version: one that already ends with a version keeps it. */
export function withVersion(base: string, version: string): string {
  const bare = base.replace(/\/+$/, "");
  return ENDS_WITH_VERSION.test(bare) ? bare : `${bare}/${version}`;
}

function base(target: Target): string {
  const given = target.apiBase ?? target.env("GEMINI_API_BASE") ?? DEFAULT_BASE;
  return withVersion(given, target.apiVersion ?? "v1beta");
}

function key(target: Target): string {
  const found = target.apiKey ?? target.env("GEMINI_API_KEY") ?? target.env("GOOGLE_API_KEY");
  if (found) return found;
  throw new SetupError(
    "upstream_authentication",
    "Google Gemini needs a key: set api_key in the deployment or GEMINI_API_KEY in the environment.",
  );
}
