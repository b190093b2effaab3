import type { Deployment } from "../contract/deployment.ts";
import { BUDGET_DURATIONS, parseBudgetDuration } from "../contract/duration.ts";
import { BUDGET_USD_MAX } from "../contract/money.ts";
import { hasResponses, upstreamForm } from "../contract/upstream-form.ts";
import { didYouMean } from "../lib/spelling/suggest.ts";
import { deploymentId } from "./deployment-id.ts";
import type { Place } from "./fault.ts";
import { MODEL_INFO, MODEL_INFO_BOOLEANS, MODEL_INFO_NUMBERS } from "./keys/model-info.ts";
import { isPriceKey } from "./keys/prices.ts";
import { MODEL_ENTRY } from "./keys/top-level.ts";
import { type Params, readParam } from "./read-param.ts";
import { readBoolean, readNumber, readText } from "./read-value.ts";
import { plainValue, type Scope } from "./scope.ts";
import { shown } from "./secrets.ts";
import { Section, warnUnserved } from "./section.ts";
import { childPath, isNull, type Mapping, type Node } from "./tree.ts";
import { parseUpstreamModel, type UpstreamModel } from "./upstream-model.ts";
import { isIdle, warnExtraBody, warnParam, warnPrice } from "./warn-param.ts";

/** Parameters that have a field of their own in `Deployment`, or no meaning past this point. */
const TAKEN_OUT = new Set(
  "model custom_llm_provider api_key api_base base_url api_version litellm_credential_name".split(" "),
);

/** Reads one entry of `model_list`. */
export class DeploymentReader {
  constructor(
    readonly scope: Scope,
    readonly credentials: ReadonlyMap<string, Params>,
    readonly path: string,
    /** Somebody is there who has just typed it: parameters that nobody knows are told, however far from a known name. */
    readonly isTyped = false,
  ) {}

  read(item: Node): Deployment | null {
    const entry = new Section(this.scope).add(item, this.path, "model_list", MODEL_ENTRY);
    if (item.kind !== "map") {
      if (isNull(item)) this.scope.report.fault(item.at, this.path, "expected a model, found nothing");
      return null;
    }
    entry.require("model_name", item.at, this.path);
    entry.require("litellm_params", item.at, this.path);
    const group = entry.text("model_name");
    if (group !== null && /\p{Cc}/u.test(group)) {
      const at = item.entries.get("model_name")?.value.at ?? item.at;
      this.scope.report.fault(at, `${this.path}.model_name`, "a name has no control characters");
    }
    const written = entry.map("litellm_params");
    const described = entry.map("model_info");
    const info = this.#info(described);
    if (written === null) return null;
    const params = this.#params(written.node, written.path);
    const upstream = this.#upstream(written.node, written.path, params);
    const apiBase = this.#apiBase(written.node, written.path, params);
    this.#checkBudget(written.node, written.path, params);
    warnExtraBody(this.scope, written.node.entries.get("extra_body")?.value, `${written.path}.extra_body`, info.mode);
    if (group === null || upstream === null) return null;
    this.#checkForm(upstream.provider, info, described?.node ?? item);
    return {
      id: textOrNull(info.id) ?? deploymentId(group, written.node),
      group,
      provider: upstream.provider,
      ...upstreamForm({ provider: upstream.provider, apiBase, info }, upstream.model),
      apiBase,
      apiKey: textOrNull(params.get("api_key")),
      apiVersion: textOrNull(params.get("api_version")),
      params: Object.fromEntries([...params].filter(([key]) => !TAKEN_OUT.has(key) && !isIdle(key))),
      info,
    };
  }

  #params(node: Mapping, path: string): Params {
    const params = new Map<string, unknown>();
    for (const [key, entry] of node.entries) {
      const keyPath = childPath(path, key);
      warnParam(this.scope, entry, keyPath, "litellm_params", key, this.isTyped);
      const param = readParam(this.scope, key, entry.value, keyPath);
      if (param !== null) params.set(key, param);
    }
    for (const [key, value] of this.#credential(node, path, params)) {
      if (!params.has(key)) params.set(key, value);
    }
    return params;
  }

  #credential(node: Mapping, path: string, params: Params): Params {
    const name = params.get("litellm_credential_name");
    if (typeof name !== "string") return new Map();
    const found = this.credentials.get(name);
    if (found !== undefined) return found;
    const at = node.entries.get("litellm_credential_name")?.value.at ?? node.at;
    const message = `\`credential_list\` has no \`${shown(name)}\`${didYouMean(name, this.credentials.keys())}`;
    this.scope.report.fault(at, `${path}.litellm_credential_name`, message);
    return new Map();
  }

  #upstream(node: Mapping, path: string, params: Params): UpstreamModel | null {
    const written = node.entries.get("model");
    const model = textOrNull(params.get("model"));
    if (written === undefined || isNull(written.value)) {
      this.scope.report.fault(node.at, path, "`model` is missing; it names the upstream model as `provider/model`");
    }
    if (model === null) return null;
    const provider = textOrNull(params.get("custom_llm_provider"));
    const hasApiBase = params.has("api_base") || params.has("base_url");
    const parsed = parseUpstreamModel(model, { provider, hasApiBase });
    if (typeof parsed !== "string") return parsed;
    const key = provider === null ? "model" : "custom_llm_provider";
    this.scope.report.fault(node.entries.get(key)?.value.at ?? node.at, `${path}.${key}`, parsed);
    return null;
  }

  #apiBase(node: Mapping, path: string, params: Params): string | null {
    const key = params.has("api_base") ? "api_base" : "base_url";
    const base = textOrNull(params.get(key));
    if (base === null) return null;
    if (/^https?:\/\//i.test(base) && URL.canParse(base)) return base;
    const at = node.entries.get(key)?.value.at ?? node.at;
    this.scope.report.fault(at, `${path}.${key}`, "expected an address that begins with http:// or https://");
    return null;
  }

  #checkBudget(node: Mapping, path: string, params: Params): void {
    const { report } = this.scope;
    const [budget, duration] = [params.get("max_budget"), params.get("budget_duration")];
    const keyAt = (key: string): Place => node.entries.get(key)?.keyAt ?? node.at;
    const valueAt = (key: string): Place => node.entries.get(key)?.value.at ?? node.at;
    if (typeof budget === "number" && budget > BUDGET_USD_MAX) {
      report.fault(valueAt("max_budget"), `${path}.max_budget`, `expected a number from 0 to ${BUDGET_USD_MAX}`);
    }
    if (typeof duration === "string" && parseBudgetDuration(duration) === null) {
      report.fault(valueAt("budget_duration"), `${path}.budget_duration`, `must be ${BUDGET_DURATIONS}`);
    }
    if (typeof budget === "number" && !node.entries.has("budget_duration")) {
      report.warnOnce(
        `${path}.max_budget`,
        keyAt("max_budget"),
        `${path}.max_budget`,
        "it has no effect without `budget_duration`, and more is let through than this file says; " +
          `add one: ${BUDGET_DURATIONS}`,
        true,
      );
    }
    if (typeof duration === "string" && !node.entries.has("max_budget")) {
      report.warn(keyAt("budget_duration"), `${path}.budget_duration`, "it has no effect without `max_budget`");
    }
  }

  /** Somebody counts on another interface than the one that is called. */
  #checkForm(provider: string, info: Deployment["info"], node: Mapping): void {
    if (info.mode !== "responses" || provider === "*" || hasResponses(provider)) return;
    this.scope.report.warn(
      node.entries.get("mode")?.value.at ?? node.at,
      `${this.path}.model_info.mode`,
      `\`responses\` has an effect for \`openai\` and \`azure\`; \`${shown(provider)}\` is called as for a chat`,
    );
  }

  #info(written: { readonly path: string; readonly node: Mapping } | null): Record<string, unknown> {
    if (written === null) return {};
    const info = new Map<string, unknown>();
    for (const [key, entry] of written.node.entries) {
      const path = childPath(written.path, key);
      warnUnserved(this.scope, entry, path, "model_info", key, MODEL_INFO);
      if (!MODEL_INFO.has(key)) warnPrice(this.scope, entry.keyAt, path, key);
      if (isNull(entry.value)) continue;
      const read = this.#infoValue(key, entry.value, path);
      if (read !== null) info.set(key, read);
    }
    return Object.fromEntries(info);
  }

  #infoValue(key: string, node: Node, path: string): unknown {
    if (key === "id" || key === "base_model") return readText(this.scope, node, path);
    if (MODEL_INFO_NUMBERS.has(key) || isPriceKey(key)) return readNumber(this.scope, node, path);
    if (MODEL_INFO_BOOLEANS.has(key)) return readBoolean(this.scope, node, path);
    return plainValue(this.scope, node, path);
  }
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
