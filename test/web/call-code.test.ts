import { describe, expect, test } from "bun:test";
import { type CodeLanguage, codeOf } from "../../web/src/components/call-code.ts";
import { examplesOf } from "../../web/src/pages/models/examples.ts";

const ORIGIN = "http://127.0.0.1:4000";
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
const shown = [
  ...LANGUAGES.flatMap((language) =>
    (["chat", "image", "speech"] as const).map((kind) => codeOf(language, { kind, body }, ORIGIN)),
  ),
  ...TYPES.flatMap((type) => examplesOf(type, "echo", ORIGIN).map(({ code }) => code)),
];

describe("code that calls a model", () => {
  test("takes the key from one variable and sends it in one header, on every page", () => {
    for (const code of shown) {
      expect(code.match(/TURNPIKE_\w+/g)).toEqual(["TURNPIKE_KEY"]);
      if (code.startsWith("curl")) expect(code).toContain('-H "Authorization: Bearer $TURNPIKE_KEY"');
      expect(code).not.toContain("x-gw-api-key");
    }
  });

  test("has the key itself where it is at hand", () => {
    for (const language of LANGUAGES) {
      const code = codeOf(language, { kind: "chat", body, apiKey: "sk-mine" }, ORIGIN);
      expect(code).toContain("sk-mine");
      expect(code).not.toContain("TURNPIKE_KEY");
    }
  });

  test("is quoted for the shell", () => {
    expect(codeOf("curl", { kind: "chat", body }, ORIGIN)).toContain("it'\\''s me");
  });
});
