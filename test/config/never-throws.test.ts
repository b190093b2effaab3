import { expect, test } from "bun:test";
import fc from "fast-check";
import { renderFaults } from "../../src/config/render-faults.ts";
import { runs } from "../property-runs.ts";
import { faultsOf, loadText } from "./load-text.ts";

const WORDS = [
  ...["model_list", "model_name", "litellm_params", "model", "model_info", "id", "include", "credential_list"],
  ...["credential_name", "credential_values", "environment_variables", "general_settings", "router_settings"],
  ...["litellm_settings", "gateway_settings", "fallbacks", "model_group_alias", "retry_policy", "port", "master_key"],
  ...["echo/chat", "openai/*", "*", "os.environ/A", "os.environ/", "a.yaml", "__proto__", "constructor", "toString"],
  ...["true", "null", "12", "-1", ".nan", "1e999", "~", "<<"],
];
const MARKS = [
  ": ",
  ":\n  ",
  "\n",
  "\n  ",
  "\n    ",
  "\n- ",
  "  - ",
  "- ",
  "[",
  "]",
  "{",
  "}",
  ", ",
  "&a ",
  "*a",
  "!t ",
];
const MORE_MARKS = ["'", '"', "|\n", ">\n", "#", "\t", "---\n", "? ", "%", "@", "\u0000", "\ud800", "\ufeff", "\\"];

const yamlish = fc
  .array(fc.oneof(fc.constantFrom(...WORDS), fc.constantFrom(...MARKS, ...MORE_MARKS), fc.string({ maxLength: 4 })), {
    maxLength: 60,
  })
  .map((parts) => parts.join(""));

/** A tree of the right outline with arbitrary values in it, written as JSON, which is YAML too. */
const shaped = fc
  .dictionary(
    fc.constantFrom(...WORDS.slice(0, 20)),
    fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom(...WORDS),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("node"), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom(...WORDS), tie("node"), { maxKeys: 5 }),
      ),
    })).node,
  )
  .map((tree) => JSON.stringify(tree));

test("whatever the file holds, loading and rendering give a result and do not throw", () => {
  fc.assert(
    fc.property(fc.oneof(yamlish, shaped, fc.string()), (text) => {
      const result = loadText(text, { A: "x" });
      const faults = faultsOf(result);
      expect(result.ok).toBe(faults.length === 0);
      renderFaults([...faults, ...result.warnings], () => text);
    }),
    { numRuns: runs(1500) },
  );
});

test.each(["[", "{a: ", "- ", "a:\n "])("deep nesting of %j is reported, not thrown", (open) => {
  expect(loadText(open.repeat(20_000)).ok).toBe(false);
});
