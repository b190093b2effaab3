import { type GuardrailDefinition, PERSONAL_ENTITIES, SECRET_ENTITIES } from "../contract/guardrails.ts";
import { compilePattern } from "../lib/linear-pattern.ts";
import type { Detector } from "./detector.ts";
import { PatternDetector } from "./detectors/pattern.ts";
import { WordList } from "./detectors/word-list.ts";
import { PERSONAL, SECRETS } from "./entities.ts";
import type { Guard, Judge, JudgeServices } from "./guard.ts";
import { jsonSchema } from "./judges/json-schema.ts";
import { moderation } from "./judges/moderation.ts";
import { plugin } from "./judges/plugin.ts";
import { promptLength } from "./judges/prompt-length.ts";
import { webhook } from "./judges/webhook.ts";
import { withinLimits } from "./judges/within-limits.ts";

/** Throws where a pattern is none; everything else was checked when the definition was read. */
export function buildGuard(definition: GuardrailDefinition, services: JudgeServices): Guard {
  const { name, modes, defaultOn, action, reversible } = definition;
  const detectors = detectorsOf(definition);
  const judge = detectors ? null : judgeOf(definition, services);
  return { name, modes, defaultOn, action, reversible, detectors, judge };
}

function detectorsOf({ kind, entities, patterns, matchCharsMax, words, wholeWords }: GuardrailDefinition) {
  switch (kind) {
    case "pii":
      return listed(PERSONAL, entities ?? PERSONAL_ENTITIES);
    case "secrets":
      return listed(SECRETS, entities ?? SECRET_ENTITIES);
    case "regex":
      return patterns.map((one) => new PatternDetector(one.name, compilePattern(one.pattern), matchCharsMax));
    case "word_list":
      return [new WordList(words, "word", wholeWords)];
    default:
      return null;
  }
}

const listed = (table: Readonly<Record<string, readonly Detector[]>>, names: readonly string[]): Detector[] =>
  names.flatMap((name) => table[name] ?? []);

function judgeOf(definition: GuardrailDefinition, services: JudgeServices): Judge {
  const { name, charactersMax, tokensMax, schema, model, categories, url, secret } = definition;
  const { headers, windowChars, module, options } = definition;
  const failed = (error: unknown): void => services.failed(name, error, definition.failOpen);
  const limited = (judge: Judge): Judge => withinLimits(definition, judge, services.failed);
  switch (definition.kind) {
    case "prompt_length":
      return promptLength(charactersMax, tokensMax, services.countTokens);
    case "json_schema":
      return jsonSchema(schema ?? {});
    case "moderation":
      return limited(moderation(model ?? "", categories, windowChars, definition.timeoutMs, services.moderate));
    case "webhook":
      return limited(webhook({ name, url: url ?? "", secret: secret ?? "", headers, windowChars }, services));
    default:
      return limited(plugin(module ?? "", options, windowChars, services.load, failed));
  }
}
