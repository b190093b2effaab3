import { describe, expect, test } from "bun:test";
import { configOf, faultsOf, loadText, spot } from "./load-text.ts";

const entry = (params: object, name = "g") => ({ guardrail_name: name, litellm_params: params });
const file = (...entries: object[]): string => JSON.stringify({ guardrails: entries }, null, 1);

describe("guardrails of the file", () => {
  test("are read with what they leave out", () => {
    const { guardrails } = configOf(
      file(
        entry({ guardrail: "pii", mode: "pre_call", default_on: true }, "personal data"),
        entry(
          { guardrail: "regex", mode: ["pre_call", "post_call"], patterns: ["a+b", { name: "id", pattern: "x\\d" }] },
          "own",
        ),
        entry({ guardrail: "plugin", module: "./src/guardrails/plugin.ts", timeout: 2 }, "plug"),
      ),
    );
    expect(
      guardrails.map(({ name, kind, modes, action, defaultOn }) => [name, kind, modes, action, defaultOn]),
    ).toEqual([
      ["personal data", "pii", ["pre_call"], "mask", true],
      ["own", "regex", ["pre_call", "post_call"], "block", false],
      ["plug", "plugin", ["pre_call"], "block", false],
    ]);
    expect(guardrails[1]?.patterns).toEqual([
      { name: "pattern", pattern: "a+b" },
      { name: "id", pattern: "x\\d" },
    ]);
    expect(guardrails[2]?.module?.endsWith("/src/guardrails/plugin.ts")).toBe(true);
    expect(guardrails[2]?.timeoutMs).toBe(2_000);
  });

  test("take their secrets from the environment", () => {
    const params = { guardrail: "webhook", api_base: "https://judge.test", secret: "os.environ/JUDGE_SECRET" };
    const loaded = loadText(file(entry(params)), { JUDGE_SECRET: "s3cret" });
    expect(loaded.ok && loaded.config.guardrails[0]?.secret).toBe("s3cret");
    expect(loaded.ok && loaded.warnings).toEqual([]);
  });

  test.each([
    [{ guardrail: "presidio", mode: "pre_call" }, "guardrail", "`presidio` is not served; `pii` does the same here"],
    [{ guardrail: "hide-secrets" }, "guardrail", "`hide-secrets` is not served; `secrets` does the same here"],
    [{ guardrail: "openai_moderation" }, "guardrail", "`moderation` does the same here, with `model`"],
    [{ guardrail: "lakera_v2" }, "guardrail", "`webhook` can ask it"],
    [{ guardrail: "pji" }, "guardrail", "one of secrets, pii, regex, word_list"],
    [{ guardrail: "pji" }, "guardrail", ", found `pji`"],
    [{ guardrail: "pii", mode: "sometimes" }, "mode", ", found `sometimes`"],
    [{ guardrail: "pii", action: "maks" }, "action", "should be one of mask, block, found `maks`"],
    [{ mode: "pre_call" }, "litellm_params", "`guardrail` is missing"],
    [{ guardrail: "pii", mode: "sometimes" }, "mode", "one of pre_call, during_call, post_call, logging_only"],
    [{ guardrail: "pii", mode: ["pre_call", "x"] }, "mode", "during_call, post_call, logging_only, found `x`"],
    [{ guardrail: "pii", enities: ["email"] }, "enities", "did you mean `entities`"],
    [{ guardrail: "pii", pii_entities_config: { EMAIL_ADDRESS: "MASK" } }, "pii_entities_config", "; `entities` lists"],
    [{ guardrail: "secrets", output_parse_pii: true }, "output_parse_pii", "unless `reversible` is false"],
    [{ guardrail: "pii", entities: ["shoe size"] }, "entities", "there is no `shoe size`"],
    [{ guardrail: "regex" }, "guardrail", "regex needs `patterns`"],
    [{ guardrail: "regex", patterns: ["(?=a)b"] }, "patterns", "look-around, as in (?=...)"],
    [{ guardrail: "regex", patterns: ["(?<!a)b"] }, "patterns", "is not supported"],
    [{ guardrail: "regex", patterns: ["(a"] }, "patterns", "no pattern of RE2's syntax: error parsing"],
    [{ guardrail: "regex", patterns: ["a*"] }, "patterns", "matches where there is nothing"],
    [{ guardrail: "pii", mode: "during_call", action: "mask" }, "action", "beside a call"],
    [{ guardrail: "json_schema", mode: "post_call", schema: { pattern: "(a+)+" } }, "schema", "`pattern`"],
    [{ guardrail: "json_schema", schema: {} }, "guardrail", "post_call"],
    [{ guardrail: "moderation", model: "m", action: "mask" }, "action", "can only block"],
    [{ guardrail: "webhook", api_base: "judge.test", secret: "s" }, "api_base", "should"],
    [{ guardrail: "plugin", module: "./nowhere.ts" }, "module", "there is no such file"],
    [{ guardrail: "prompt_length" }, "guardrail", "max_characters"],
  ])("%j is a fault", (params, key, words) => {
    const [fault, ...others] = faultsOf(loadText(file(entry(params))));
    expect(others).toEqual([]);
    expect(fault?.message).toContain(words);
    expect(fault && spot(fault)).toContain(key);
  });

  test("that ask a model which there is not are warned about", () => {
    const model_list = [{ model_name: "judge", litellm_params: { model: "openai/omni-moderation-latest" } }];
    const warned = (model: string) => {
      const loaded = loadText(JSON.stringify({ model_list, guardrails: [entry({ guardrail: "moderation", model })] }));
      return loaded.warnings.map(({ message }) => message).filter((message) => message.includes("is called"));
    };
    expect(warned("judge")).toEqual([]);
    expect(warned("jugde")).toEqual(["no model is called `jugde`; did you mean `judge`?"]);
  });

  test("have names of their own", () => {
    const pii = { guardrail: "pii" };
    expect(faultsOf(loadText(file(entry(pii), entry(pii))))[0]?.message).toBe("another guardrail has this name");
    expect(faultsOf(loadText(file(entry(pii, "a,b"))))[0]?.message).toContain("letters, digits");
    expect(faultsOf(loadText("guardrails: 3"))[0]?.message).toContain("expected a list");
  });
});
