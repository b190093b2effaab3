import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Deployment } from "../contract/deployment.ts";
import { Catalog } from "./catalog.ts";

const deployment = (group: string, model: string, id = `${group}=${model}`): Deployment => {
  const slash = model.indexOf("/");
  return {
    id,
    group,
    provider: model === "*" ? "*" : model.slice(0, slash),
    upstreamModel: model.slice(slash + 1),
    apiBase: null,
    apiKey: null,
    apiVersion: null,
    params: {},
    info: {},
  };
};

const targets = (catalog: Catalog, name: string): string[] =>
  catalog.resolve(name).map(({ provider, upstreamModel }) => `${provider}/${upstreamModel}`);

describe("a name stands for", () => {
  const plain = new Catalog(
    [
      deployment("fast", "groq/llama", "one"),
      deployment("fast", "openai/gpt-4o-mini", "two"),
      deployment("smart", "anthropic/claude-x", "three"),
      deployment("own", "hosted_vllm/chat", "four"),
    ],
    {
      groupAliases: {
        nick: { model: "fast", hidden: false },
        secret: { model: "smart", hidden: true },
        loop: { model: "loop", hidden: false },
        chain: { model: "nick", hidden: false },
        fast: { model: "smart", hidden: false },
      },
      modelAliases: { old: "smart", three: "fast" },
    },
  );

  test.each([
    ["every deployment of its group", "fast", ["groq/llama", "openai/gpt-4o-mini"]],
    ["one deployment by its id", "two", ["openai/gpt-4o-mini"]],
    ["its replacement, before anything else", "three", ["groq/llama", "openai/gpt-4o-mini"]],
    ["the group of its alias", "nick", ["groq/llama", "openai/gpt-4o-mini"]],
    ["the group of a hidden alias", "secret", ["anthropic/claude-x"]],
    ["nothing, where an alias names itself", "loop", []],
    ["nothing, where an alias names an alias", "chain", []],
    ["the upstream's name", "groq/llama", ["groq/llama"]],
    ["the upstream's bare name where it tells the provider", "gpt-4o-mini", ["openai/gpt-4o-mini"]],
    ["nothing, where the bare name does not", "chat", []],
    ["nothing", "unknown", []],
  ])("%s: %s", (_, name, expected) => {
    expect(targets(plain, name)).toEqual(expected);
    expect(targets(plain, name)).toEqual(expected);
  });

  test("its group and not what an alias of the same name says", () => {
    expect(plain.resolve("fast")[0]?.id).toBe("one");
    expect(plain.aliasNames()).toEqual(["nick"]);
  });
});

describe("a pattern", () => {
  const wild = new Catalog(
    [
      deployment("*", "*"),
      deployment("openai/*", "openai/*"),
      deployment("openai/gpt-*", "azure/my-gpt-*"),
      deployment("openai/fixed-*", "openai/gpt-4o"),
      deployment("team-*-model-*", "openai/*"),
      deployment("*-mini", "groq/small-*"),
      deployment("exact", "anthropic/claude-x"),
    ],
    { groupAliases: { nick: { model: "openai/gpt-9", hidden: false } } },
  );

  test.each([
    ["the longest that fits wins", "openai/gpt-4o", ["azure/my-gpt-4o"]],
    ["what it captured is the model", "openai/o3", ["openai/o3"]],
    ["a model with slashes is taken whole", "openai/ft:a/b", ["openai/ft:a/b"]],
    ["no star on the right is a fixed model", "openai/fixed-7", ["openai/gpt-4o"]],
    ["more stars on the left pass the name on", "team-a-model-b", ["openai/team-a-model-b"]],
    ["it is anchored at its end", "x-mini-tts", []],
    ["a star for the provider takes it from the name", "mistral/large", ["mistral/large"]],
    ["or from a name that everybody knows", "claude-9", ["anthropic/claude-9"]],
    ["and finds nothing where neither helps", "nobody-knows", []],
    ["a group comes before it", "exact", ["anthropic/claude-x"]],
    ["an alias may lead to it", "nick", ["azure/my-gpt-9"]],
    ["its own name is no model", "openai/*", []],
    ["nor is a name with a star", "openai/x*y", []],
    ["nothing captured is nothing to call", "openai/", []],
    ["the upstream's name is not looked up beside it", "anthropic/claude-x", ["anthropic/claude-x"]],
  ])("%s: %s", (_, name, expected) => {
    expect(targets(wild, name)).toEqual(expected);
    expect(targets(wild, name)).toEqual(expected);
  });

  test("fits a bare name under the provider that it is known by", () => {
    const catalog = new Catalog([deployment("openai/*", "openai/*")]);
    expect(targets(catalog, "gpt-4o")).toEqual(["openai/gpt-4o"]);
    expect(targets(catalog, "claude-9")).toEqual([]);
  });

  test("that needs a name cannot be called by its id", () => {
    const catalog = new Catalog([
      deployment("groq/*", "groq/*", "wild-1"),
      deployment("own-*", "groq/llama", "wild-2"),
    ]);
    expect(targets(catalog, "wild-1")).toEqual([]);
    expect(targets(catalog, "wild-2")).toEqual(["groq/llama"]);
    expect(catalog.findById("wild-1")?.group).toBe("groq/*");
  });

  test("keeps the deployment's id and group, so that limits and access see one deployment", () => {
    expect(wild.resolve("openai/o3")[0]).toMatchObject({ id: "openai/*=openai/*", group: "openai/*" });
  });
});

describe("any name", () => {
  const catalog = new Catalog([deployment("openai/*", "openai/*"), deployment("a", "groq/b")], {
    groupAliases: { nick: { model: "a", hidden: false } },
  });
  const hostile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 512 }),
    fc.constantFrom("__proto__", "constructor", "toString", "hasOwnProperty", ".*", "(a+)+$", "\0", "*".repeat(500)),
    fc.string({ maxLength: 500 }).map((text) => `openai/${text}`),
  );

  test("resolves to the same deployments each time, and never to one with a star or an empty model", () => {
    fc.assert(
      fc.property(hostile, (name) => {
        const found = catalog.resolve(name);
        expect(catalog.resolve(name)).toEqual(found);
        for (const { upstreamModel, provider } of found) {
          expect(upstreamModel).not.toBe("");
          expect(upstreamModel).not.toContain("*");
          expect(["openai", "groq"]).toContain(provider);
        }
      }),
    );
  });

  test("that a pattern fits keeps everything after the provider", () => {
    fc.assert(
      fc.property(
        fc
          .string({ minLength: 1, maxLength: 400 })
          .filter((text) => !text.includes("*") && !text.split("/").some((part) => part === "." || part === "..")),
        (model) => {
          expect(catalog.resolve(`openai/${model}`)[0]?.upstreamModel).toBe(model);
        },
      ),
    );
  });

  test.each(["openai/.", "openai/..", "openai/../x", "openai/a/./b", "openai/a/.."])(
    "%s would lead to another path, and leads nowhere",
    (name) => {
      expect(catalog.resolve(name)).toEqual([]);
    },
  );

  test("costs no memory that is not given back", () => {
    for (let index = 0; index < 20_000; index++) catalog.resolve(`openai/${index}`);
    expect(catalog.resolve("openai/7")[0]?.upstreamModel).toBe("7");
  });
});
