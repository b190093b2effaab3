import { readFileSync } from "node:fs";
import { OFFLINE_GROUPS } from "../contract/offline-models.ts";
import { isLoopbackHost, isPlainLoopback } from "../lib/loopback.ts";
import type { Config } from "./config.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { type Environment, overrideFromEnvironment, readEnvironmentVariables, warnOfSlips } from "./environment.ts";
import { CallableNames } from "./fallbacks.ts";
import { type Fault, Report } from "./fault.ts";
import { GATEWAY_SETTINGS } from "./keys/gateway-settings.ts";
import { GENERAL_SETTINGS } from "./keys/general-settings.ts";
import { ROUTER_SETTINGS } from "./keys/router-settings.ts";
import { TOP_LEVEL } from "./keys/top-level.ts";
import { cacheParams, readCache } from "./read-cache.ts";
import { readCredentials } from "./read-credentials.ts";
import { listGroupNames, type PlacedModel, readDeployments } from "./read-deployments.ts";
import { readFileStorage } from "./read-file-storage.ts";
import { FileReader } from "./read-files.ts";
import { readGuardrails } from "./read-guardrails.ts";
import { readHealthChecks } from "./read-health-checks.ts";
import { readLimits } from "./read-limits.ts";
import { readMail } from "./read-mail.ts";
import { readOidc } from "./read-oidc.ts";
import { type PlacedEndpoint, readPassThroughs } from "./read-pass-through.ts";
import { readPayments } from "./read-payments.ts";
import { readRouting } from "./read-router.ts";
import { readAdmin, readKeys, readServer } from "./read-server.ts";
import { readStorage } from "./read-storage.ts";
import { readTraining } from "./read-training.ts";
import { readUsd } from "./read-usd.ts";
import type { Scope } from "./scope.ts";
import { shown } from "./secrets.ts";
import { Section } from "./section.ts";
import type { Mapping } from "./tree.ts";

export type { Fault } from "./fault.ts";

export interface LoadInput {
  /** `null`: the file that `TURNPIKE_CONFIG` names, else `./turnpike.yaml` where there is one, else none. */
  readonly file: string | null;
  readonly env: Environment;
  readonly readFile?: (path: string) => string;
}

/** What the files of a configuration said, by their paths. */
export type ConfigTexts = Readonly<Record<string, string>>;

export type LoadResult =
  | {
      readonly ok: true;
      readonly config: Config;
      readonly warnings: readonly Fault[];
      /** Every file that was read, the first one first. */
      readonly files: readonly string[];
      readonly texts: ConfigTexts;
      readonly models: readonly PlacedModel[];
      readonly endpoints: readonly PlacedEndpoint[];
    }
  | {
      readonly ok: false;
      readonly faults: readonly Fault[];
      readonly warnings: readonly Fault[];
      /** Those that nothing is wrong with. */
      readonly models: readonly PlacedModel[];
    };

/** A hundred times the provider's price: more is a slip of the pen. */
const MARKUP_PERCENT_MAX = 10_000;
const OUTPUT_ESTIMATE_TOKENS = 4_096;

/** Reads and checks everything, and never throws: whatever is wrong is in the result, all of it at once. */
export function loadConfig(input: LoadInput): LoadResult {
  const report = new Report();
  const process: Scope = { report, variable: (name) => (Object.hasOwn(input.env, name) ? input.env[name] : undefined) };
  const reader = new FileReader(process, input.readFile ?? ((path) => readFileSync(path, "utf8")));
  const { config, models, endpoints } = buildConfig(reader.start(input.file), process, input.env);
  const { faults, warnings } = report.sorted(reader.files);
  if (report.failed) {
    return { ok: false, faults, warnings, models: models.filter(({ at, path }) => report.isSound(at, path)) };
  }
  return {
    ok: true,
    config: deepFreeze(config),
    warnings,
    files: reader.files,
    texts: reader.texts,
    models,
    endpoints,
  };
}

function buildConfig(
  root: Mapping | null,
  process: Scope,
  env: Environment,
): Pick<LoadResult & { ok: true }, "config" | "models" | "endpoints"> {
  const top = new Section(process).add(root ?? undefined, "", "", TOP_LEVEL);
  const part = (name: string) => top.field(name)?.node;
  const environment = readEnvironmentVariables(process, part("environment_variables"));
  const variable = (name: string) => (Object.hasOwn(environment, name) ? environment[name] : process.variable(name));
  const scope: Scope = { report: process.report, variable };

  const general = new Section(scope).add(
    part("general_settings"),
    "general_settings",
    "general_settings",
    GENERAL_SETTINGS,
  );
  overrideFromEnvironment(general, env);
  warnOfSlips(scope, env);
  const router = new Section(scope).add(part("router_settings"), "router_settings", "router_settings", ROUTER_SETTINGS);
  const gateway = new Section(scope);
  for (const name of ["litellm_settings", "gateway_settings"]) gateway.add(part(name), name, name, GATEWAY_SETTINGS);

  const credentials = readCredentials(scope, part("credential_list"));
  const models = readDeployments(scope, part("model_list"), credentials);
  const deployments = models.map(({ deployment }) => deployment);
  const groups = [...deployments.flatMap(({ group, id }) => [group, id]), ...listGroupNames(part("model_list"))];
  const upstreamModels = deployments.map(({ upstreamModel }) => upstreamModel);
  const server = readServer(general, gateway);
  const mail = readMail(general, server.publicUrl);
  const cache = cacheParams(gateway);
  const storage = readStorage(general, router, cache);
  const keys = readKeys(general);
  const endpoints = readPassThroughs(general);
  const admin = readAdmin(general);
  const demo = readDemo(general, groups.length > 0);
  const named = demo ? [...groups, ...OFFLINE_GROUPS] : groups;
  const routing = readRouting(router, gateway, named, upstreamModels);
  // Without a list of models there are those that are built in, and stored ones.
  const called = groups.length === 0 ? ["*"] : [...named, ...Object.keys(routing.groupAliases)];
  const callable = new CallableNames(called);
  const limited = new CallableNames([...called, ...endpoints.map(({ endpoint }) => endpoint.path)]);
  const config: Config = {
    server,
    keys,
    ...storage,
    admin,
    demo,
    journalSync: general.choice("journal_sync", ["interval", "always"]) ?? "interval",
    deployments,
    credentials: Object.fromEntries(Array.from(credentials, ([name, values]) => [name, Object.fromEntries(values)])),
    storeModels: general.boolean("store_model_in_db") ?? true,
    ...routing,
    cache: readCache(gateway, cache, callable, storage.redisUrl),
    guardrails: readGuardrails(scope, part("guardrails"), callable),
    limits: readLimits(general, router, gateway, limited),
    answers: {
      validateJsonSchema: gateway.boolean("enable_json_schema_validation") ?? false,
      alwaysIncludeUsage: general.boolean("always_include_stream_usage") ?? false,
      moderationModel: readModerationModel(general, callable),
    },
    accounts: {
      allowSignUp: general.boolean("allow_signup") ?? true,
      requireVerifiedEmail: readVerifiedEmail(general, mail !== null),
      signUpsPerHour: general.number("signups_per_hour", { integer: true }) ?? 20,
      createUnknownUsers: general.boolean("create_unknown_users") ?? true,
      organizationsPerUser: general.number("organizations_per_user", { integer: true }) ?? 25,
      signUpCredit: readUsd(general, "signup_credits") ?? 0n,
    },
    mail,
    files: readFileStorage(general),
    oidc: readOidc(general, general.boolean("allow_signup") ?? true),
    billing: {
      markupPercent: general.number("markup_percent", { max: MARKUP_PERCENT_MAX }) ?? 0,
      outputEstimateMax: general.number("max_output_estimate", { integer: true, min: 1 }) ?? OUTPUT_ESTIMATE_TOKENS,
      unpricedModels: general.choice("unpriced_models", ["refuse", "free"]) ?? "refuse",
    },
    healthChecks: readHealthChecks(general),
    usage: { retentionDays: general.number("usage_retention_days", { integer: true, min: 1, max: 36_500 }) },
    audit: { retentionDays: general.number("audit_retention_days", { integer: true, min: 1, max: 36_500 }) },
    training: readTraining(general),
    passThroughs: endpoints.map(({ endpoint }) => endpoint),
    payments: readPayments(general, env.NODE_ENV === "production" || isForOthers(server)),
    environment,
  };
  return { config, models, endpoints };
}

/** People of other machines may come to it, as far as the configuration tells. */
const isForOthers = ({ host, publicUrl }: Config["server"]): boolean =>
  !isLoopbackHost(host) || (publicUrl !== null && !isPlainLoopback(publicUrl));

function readModerationModel(general: Section, names: CallableNames): string | null {
  const model = general.text("moderation_model");
  if (model !== null && !names.has(model)) {
    general.warn("moderation_model", `no model is called \`${shown(model)}\`${names.suggestion(model)}`);
  }
  return model;
}

function readDemo(general: Section, hasModels: boolean): boolean {
  const demo = general.boolean("demo") ?? true;
  if (!demo && !hasModels) {
    general.warn("demo", "is off and `model_list` is empty: nothing can be called until a model is added");
  }
  return demo;
}

function readVerifiedEmail(general: Section, hasMail: boolean): boolean {
  const required = general.boolean("require_verified_email") ?? false;
  if (required && !hasMail) general.fault("require_verified_email", "needs `smtp`: nobody could show it without mail");
  return required;
}
