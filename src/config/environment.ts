import { suggest } from "../lib/spelling/suggest.ts";
import { variablePlace } from "./fault.ts";
import { GENERAL_SETTINGS } from "./keys/general-settings.ts";
import { resolveScalar, type Scope } from "./scope.ts";
import type { Section } from "./section.ts";
import { childPath, describe, isNull, type Node } from "./tree.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that set what `general_settings` may also set; the variable wins. */
const SETTINGS: Readonly<Record<string, string>> = {
  TURNPIKE_HOST: "host",
  TURNPIKE_PORT: "port",
  TURNPIKE_WORKERS: "workers",
  TURNPIKE_DATA_DIR: "data_dir",
  TURNPIKE_DATABASE_URL: "database_url",
  TURNPIKE_REDIS_URL: "redis_url",
  TURNPIKE_MASTER_KEY: "master_key",
  TURNPIKE_ADMIN_EMAIL: "admin_email",
  TURNPIKE_ADMIN_PASSWORD: "admin_password",
  TURNPIKE_DEMO: "demo",
  TURNPIKE_SECRET: "secret",
  TURNPIKE_LOG_LEVEL: "log_level",
  TURNPIKE_SMTP_URL: "smtp_url",
  TURNPIKE_SIGNUP_CREDITS: "signup_credits",
};

/** Read elsewhere: which file to read, the command line's, a participant's, and what the program hands to itself. */
const OTHERS: ReadonlySet<string> = new Set(
  "CONFIG URL KEY TOKEN PROFILE COMMAND ROOT WORKER STARTED_AT PARTICIPANT_TOKEN PARTICIPANT_GROUP_SECRET"
    .split(" ")
    .map((name) => `TURNPIKE_${name}`),
);

const SLIP_MAX = 2;

/** A slip of the pen would otherwise be silent: a server that was to use PostgreSQL would begin with an empty SQLite. */
export function warnOfSlips(scope: Scope, env: Environment): void {
  for (const variable of Object.keys(env)) {
    if (!/^TURNPIKE_/i.test(variable) || OTHERS.has(variable) || Object.hasOwn(SETTINGS, variable)) continue;
    const meant = suggest(variable, [...Object.keys(SETTINGS), "TURNPIKE_CONFIG"], SLIP_MAX);
    if (meant === null) continue;
    const message = `\`${variable}\` is no setting of Turnpike; did you mean \`${meant}\`?`;
    scope.report.warn(variablePlace(variable), variable, message);
  }
}

/** An empty variable counts as not set: that is how container files leave one out. */
export function overrideFromEnvironment(general: Section, env: Environment): void {
  for (const [variable, key] of Object.entries(SETTINGS)) {
    const value = env[variable];
    if (value === undefined || value === "") continue;
    if (GENERAL_SETTINGS.get(key) === "checked") {
      general.scope.report.warnOnce(
        variable,
        variablePlace(variable),
        variable,
        `\`${variable}\` is known but has no effect yet`,
      );
    }
    general.override(key, { kind: "scalar", value, text: value, at: variablePlace(variable) });
  }
}

/** Reads `environment_variables`; each value sees the process's variables and those above it. */
export function readEnvironmentVariables(scope: Scope, node: Node | undefined): Record<string, string> {
  const path = "environment_variables";
  const values = new Map<string, string>();
  if (node === undefined || isNull(node)) return {};
  if (node.kind !== "map") {
    scope.report.fault(node.at, path, `expected a map of names and values, found ${describe(node)}`);
    return {};
  }
  const inner: Scope = { ...scope, variable: (name) => values.get(name) ?? scope.variable(name) };
  for (const [name, { keyAt, value }] of node.entries) {
    const namePath = childPath(path, name);
    if (Object.hasOwn(SETTINGS, name)) {
      const advice = `set \`general_settings.${SETTINGS[name]}\` instead`;
      scope.report.warn(keyAt, namePath, `Turnpike's own variables have no effect here; ${advice}`);
    }
    if (isNull(value)) continue;
    if (value.kind !== "scalar") scope.report.fault(value.at, namePath, `expected text, found ${describe(value)}`);
    else {
      const resolved = resolveScalar(inner, value, namePath);
      if (resolved !== null) values.set(name, resolved.text);
    }
  }
  return Object.fromEntries(values);
}
