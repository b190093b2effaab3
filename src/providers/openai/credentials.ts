import { SetupError } from "../../contract/setup-error.ts";
import type { Target } from "../dialect.ts";

/** The first of these environment variables that says anything. A line break at the end is not part of a secret. */
export function findVariable(target: Target, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = target.env(name)?.trim();
    if (value) return value;
  }
  return undefined;
}

/** The deployment's key, else the provider's usual variable. */
export const findKey = (target: Target, variables: readonly string[]): string | undefined =>
  target.apiKey?.trim() || findVariable(target, variables);

/** A parameter of the deployment that holds text. */
export function findText(target: Target, name: string): string | undefined {
  const value = target.params[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export const missingKey = (title: string, variables: readonly string[]): SetupError =>
  new SetupError(
    "upstream_authentication",
    `${title} needs a key: set api_key in the deployment or ${variables[0] ?? "its variable"} in the environment.`,
  );

/** Another deployment may well have an address, so this is a failure that falls back. */
export const missingBase = (title: string, variable: string): SetupError =>
  new SetupError(
    "upstream",
    `${title} needs an address: set api_base in the deployment or ${variable} in the environment.`,
  );
