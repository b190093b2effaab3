import { describe, expect, test } from "bun:test";
import { type CodeLanguage, codeOf } from "../../web/src/components/call-code.ts";
import { examplesOf } from "../../web/src/pages/models/examples.ts";

const USUAL = { origin: "http://127.0.0.1:4000", keyHeader: "authorization" };
const HOSTED = { ...USUAL, keyHeader: "x-gw-api-key" };
const LANGUAGES: readonly CodeLanguage[] = ["curl", "Python", "TypeScript"];
const body = { model: "echo", messages: [{ role: "user", content: "it's me" }] };
const TYPES = [
  "chat",
  "completion",
  "embedding",
  "image",
  "audio_speech",
  "audio_transcription",
  "moderation",
  "rerank",
];

/** Everything that the pages show as code. */
const shown = (target: typeof USUAL): string[] => [
  ...LANGUAGES.flatMap((language) =>
    (["chat", "image", "speech"] as const).map((kind) => codeOf(language, { kind, body }, target)),
  ),
  ...TYPES.flatMap((type) => examplesOf(type, "echo", target).map(({ code }) => code)),
];

describe("code that calls a model", () => {
  test("takes the key from one variable and sends it in one header, on every page", () => {
    for (const code of shown(USUAL)) {
      expect(code.match(/TURNPIKE_\w+/g)).toEqual(["TURNPIKE_KEY"]);
      if (code.startsWith("curl")) expect(code).toContain('-H "Authorization: Bearer $TURNPIKE_KEY"');
      expect(code).not.toContain("x-gw-api-key");
    }
  });

  test("sends it in the header that the server takes, where that is another", () => {
    for (const code of shown(HOSTED)) {
      expect(code.match(/TURNPIKE_\w+/g)).toEqual(["TURNPIKE_KEY"]);
      expect(code).toMatch(
        code.startsWith("curl") ? /-H "x-gw-api-key: \$TURNPIKE_KEY"/ : /eaders.*\{ ?"x-gw-api-key": key ?\}/,
      );
      expect(code).not.toContain("Bearer");
    }
  });

  test("has the key itself where it is at hand", () => {
    for (const language of LANGUAGES) {
      for (const target of [USUAL, HOSTED]) {
        const code = codeOf(language, { kind: "chat", body }, { ...target, apiKey: "sk-mine" });
        expect(code).toContain("sk-mine");
        expect(code).not.toContain("TURNPIKE_KEY");
      }
    }
  });

  test("is quoted for the shell", () => {
    expect(codeOf("curl", { kind: "chat", body }, USUAL)).toContain("it'\\''s me");
  });
});
