import { describe, expect, test } from "bun:test";
import { OPENAI_PARAMS, OPERATIONS } from "../../contract/params.ts";
import { PROVIDER_IDS } from "../../contract/provider-ids.ts";
import type { Dialect, Provider, Target, UpstreamRequest } from "../dialect.ts";
import { PATHS } from "../openai/paths.ts";
import { targetOf } from "../openai/test-target.ts";
import { baseVariable } from "./build-row.ts";
import type { Row } from "./row.ts";
import { openAiLike, ROWS } from "./table.ts";

const OWN_BASE = "https://own.example/api/v1/";

const CASES = ROWS.map((row, index): [string, Row, Provider] => {
  const provider = openAiLike[index];
  if (!provider) throw new Error("a row without a provider");
  return [row.id, row, provider];
});

const ANYTHING = { model: "g", messages: [], fields: [], files: [] };

/** Any request that the provider can be asked; which one does not matter to its address and its headers. */
function encode(provider: Provider, target: Target, operation = operationsOf(provider)[0]): UpstreamRequest {
  if (operation === undefined) throw new Error("a provider that can be asked nothing");
  return (provider[operation] as Dialect<object, never>).encode({ ...ANYTHING }, target);
}

const operationsOf = (provider: Provider) => OPERATIONS.filter((operation) => provider[operation] !== undefined);

const filled = (row: Row): Record<string, string> =>
  Object.fromEntries(Object.values(row.blanks ?? {}).map(({ variables }) => [variables[0] ?? "", "blank"]));

test("the table has each provider once, under a name that configurations may use", () => {
  const ids = ROWS.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(PROVIDER_IDS).toContain(id);
  expect(ids.length).toBeGreaterThanOrEqual(60);
});

describe.each(CASES)("%s", (_, row, provider) => {
  test("is called at its own address, or wants to be told one", () => {
    const target = targetOf(row.id, { variables: filled(row) });
    if (row.base === undefined) {
      expect(() => encode(provider, target)).toThrow(baseVariable(row));
      return;
    }
    const base = row.base.replace(/\{\w+\}/g, "blank");
    for (const operation of operationsOf(provider)) {
      expect(encode(provider, target, operation).url).toBe(base + PATHS[operation]);
    }
    expect(new URL(base).href.replace(/\/$/, "")).toBe(base);
  });

  test("is called at the operator's address first", () => {
    const [operation] = operationsOf(provider);
    const path = operation ? PATHS[operation] : "";
    const variables = { [baseVariable(row)]: "https://variable.example/v1" };
    expect(encode(provider, targetOf(row.id, { apiBase: OWN_BASE, variables })).url).toBe(
      `https://own.example/api/v1${path}`,
    );
    expect(encode(provider, targetOf(row.id, { variables })).url).toBe(`https://variable.example/v1${path}`);
  });

  test("gets the deployment's key, else the key of any of its variables", () => {
    const header = row.keyHeader ?? "authorization";
    const sent = (target: Target) => encode(provider, target).headers[header];
    const before = row.keyHeader === undefined ? "Bearer " : "";
    const base = { apiBase: OWN_BASE };
    expect(sent(targetOf(row.id, base))).toBe(`${before}sk-deployment`);
    for (const name of row.key) {
      expect(sent(targetOf(row.id, { ...base, apiKey: null, variables: { [name]: "sk-usual" } }))).toBe(
        `${before}sk-usual`,
      );
    }
  });

  test("says that it needs a key, or does without one", () => {
    const variables = { ...filled(row), ...(row.base === undefined && { [baseVariable(row)]: OWN_BASE }) };
    const target = targetOf(row.id, { apiKey: null, variables });
    if (row.keyless) expect(encode(provider, target).headers).not.toHaveProperty("authorization");
    else expect(() => encode(provider, target)).toThrow(`${row.title} needs a key`);
  });

  test("lists parameters of OpenAI only, and always those of streaming where it chats", () => {
    for (const operation of operationsOf(provider)) {
      const known: readonly string[] = OPENAI_PARAMS[operation];
      const params = provider.supportedParams(operation, "a-model");
      for (const param of params) expect(known).toContain(param);
      expect(new Set(params).size).toBe(params.length);
      if (operation === "chat")
        expect(params).toEqual(expect.arrayContaining(["stream", "stream_options", "max_tokens"]));
    }
    const named = [row.lacks, row.adds, ...(row.lacksByModel ?? []).map(({ lacks }) => lacks)].join(" ");
    for (const word of named.split(/\s+/))
      if (word !== "") expect(OPENAI_PARAMS.chat as readonly string[]).toContain(word);
  });

  test("says in its own name what went wrong", () => {
    const failure = { status: 500, headers: new Headers(), body: "" };
    expect(provider.classify(failure).message).toStartWith(row.title);
  });
});
