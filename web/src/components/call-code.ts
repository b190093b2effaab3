import { type CodeTarget, keyForCurl, pythonClient, typeScriptClient } from "./key-in-code.ts";
import { shellQuoted } from "./shell-quoted.ts";

/** A call of a model as code in three languages. Keys of `body` are those of the API. */
export interface CodeCall {
  readonly kind: "chat" | "image" | "speech";
  readonly body: Readonly<Record<string, unknown>>;
}
export type CodeLanguage = "curl" | "Python" | "TypeScript";

const PATHS = { chat: "/v1/chat/completions", image: "/v1/images/generations", speech: "/v1/audio/speech" } as const;
const FUNCTIONS = { chat: "chat.completions.create", image: "images.generate", speech: "audio.speech.create" } as const;

export function codeOf(language: CodeLanguage, call: CodeCall, target: CodeTarget): string {
  return { curl: curl, Python: python, TypeScript: typeScript }[language](call, target);
}

function curl({ kind, body }: CodeCall, target: CodeTarget): string {
  const more = kind === "speech" ? " \\\n  --output speech.mp3" : body.stream === true ? " \\\n  --no-buffer" : "";
  return `curl ${target.origin}${PATHS[kind]} \\
  ${keyForCurl(target)} \\
  -H "Content-Type: application/json" \\
  -d ${shellQuoted(JSON.stringify(body, null, 2))}${more}
`;
}

function python({ kind, body }: CodeCall, target: CodeTarget): string {
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${pythonValue(value, "    ")},\n`);
  const use = {
    chat:
      body.stream === true
        ? `for chunk in answer:\n    if chunk.choices:\n        print(chunk.choices[0].delta.content or "", end="", flush=True)\n`
        : "print(answer.choices[0].message)\n",
    image: "print(answer.data[0].b64_json or answer.data[0].url)\n",
    speech: 'answer.write_to_file("speech.mp3")\n',
  }[kind];
  return `${pythonClient(target)}answer = client.${FUNCTIONS[kind]}(
${fields.join("")})
${use}`;
}

function pythonValue(value: unknown, indent: string): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  const inner = `${indent}    `;
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[\n${value.map((item) => `${inner}${pythonValue(item, inner)},\n`).join("")}${indent}]`;
  }
  if (typeof value === "object") {
    const entries = Object.entries(value);
    if (entries.length === 0) return "{}";
    const lines = entries.map(([name, item]) => `${inner}${JSON.stringify(name)}: ${pythonValue(item, inner)},\n`);
    return `{\n${lines.join("")}${indent}}`;
  }
  return JSON.stringify(value);
}

function typeScript({ kind, body }: CodeCall, target: CodeTarget): string {
  const use = {
    chat:
      body.stream === true
        ? 'for await (const chunk of answer) {\n  process.stdout.write(chunk.choices[0]?.delta.content ?? "");\n}\n'
        : "console.log(answer.choices[0]?.message);\n",
    image: "console.log(answer.data?.[0]?.b64_json ?? answer.data?.[0]?.url);\n",
    speech: 'await writeFile("speech.mp3", Buffer.from(await answer.arrayBuffer()));\n',
  }[kind];
  return `${kind === "speech" ? 'import { writeFile } from "node:fs/promises";\n' : ""}${typeScriptClient(target)}const answer = await client.${FUNCTIONS[kind]}(${JSON.stringify(body, null, 2)});
${use}`;
}
