import { describe, expect, test } from "bun:test";
import { type Rule, readSources } from "./rule.ts";
import { largeFolders, longFunctions, longParameterLists, smallFiles } from "./size-rules.ts";
import { longParagraphs, longProseLines, longSentences, wordsInNames, wordsInProse } from "./text-rules.ts";
import { UNCHECKED } from "./words.ts";

function placesOf(rule: Rule, files: Record<string, string>) {
  return rule.find(readSources({ paths: Object.keys(files), texts: new Map(Object.entries(files)) }));
}

/** The places of a rule in one file, as `line: message`. */
function linesOf(rule: Rule, path: string, text: string): string[] {
  return placesOf(rule, { [path]: text }).map(({ line, message }) => `${line}: ${message}`);
}

const body = (lines: number) => "  run();\n".repeat(lines);

describe("functions over 70 lines", () => {
  test.each([
    ["a function", `function long() {\n${body(69)}}\n`],
    ["an arrow function", `const long = () => {\n${body(69)}};\n`],
    ["a method", `class A {\n  long() {\n${body(69)}  }\n}\n`],
    ["a React component", `export function long() {\n${body(60)}  return (\n<>\n${"<a>b</a>\n".repeat(5)}</>\n);\n}\n`],
  ])("are reported: %s", (_, text) => {
    expect(linesOf(longFunctions, "src/lib/a.tsx", text)).toEqual([expect.stringContaining("long has 71 lines")]);
  });

  test("are reported in Python", () => {
    const text = `def short():\n    pass\n\n\ndef long(a):\n${"    run('def x():')\n".repeat(70)}\n\nx = 1\n`;
    expect(linesOf(longFunctions, "sdk/python/a.py", text)).toEqual(["5: long has 71 lines: split it"]);
  });

  test("are not 70 lines, and not a group of tests", () => {
    expect(linesOf(longFunctions, "src/lib/a.ts", `function fits() {\n${body(68)}}\n`)).toEqual([]);
    expect(linesOf(longFunctions, "test/a.test.ts", `describe("a", () => {\n${body(200)}});\n`)).toEqual([]);
  });
});

describe("functions with more than four parameters", () => {
  test("are reported, also constructors and functions in Python", () => {
    const text = "const f = (a, b, c, { d }, ...e) => 1;\nclass A {\n  constructor(a, b, c, d, e = 1) {}\n}\n";
    expect(linesOf(longParameterLists, "src/lib/a.ts", text)).toEqual([
      "1: f has 5 parameters: pass related ones as one object",
      "3: constructor has 5 parameters: pass related ones as one object",
    ]);
    expect(
      linesOf(longParameterLists, "sdk/python/a.py", "def f(a, b: Dict[str, int], c, d, e=1):\n    pass\n"),
    ).toHaveLength(1);
  });

  test("do not count `this`, `self` and the named parameters of Python", () => {
    expect(linesOf(longParameterLists, "src/lib/a.ts", "function f(this: X, a, b, c, d) {}\n")).toEqual([]);
    expect(linesOf(longParameterLists, "sdk/python/a.py", "def f(self, a, b, c, d, *, e, g):\n    pass\n")).toEqual([]);
  });
});

describe("files under 20 lines with one importer", () => {
  const importer = 'import { a } from "./a.ts";\n';

  test("are reported, also when a test imports them", () => {
    const files = { "src/lib/a.ts": "export const a = 1;\n", "src/lib/b.ts": importer, "src/lib/a.test.ts": importer };
    expect(placesOf(smallFiles, files)).toEqual([
      expect.objectContaining({
        folder: "src/lib",
        path: "src/lib/a.ts",
        message: "1 lines, used only by src/lib/b.ts: merge the two",
      }),
    ]);
  });

  test.each([
    [
      "with two importers",
      "src/lib/a.ts",
      "export const a = 1;\n",
      { "src/lib/b.ts": importer, "src/lib/c.ts": importer },
    ],
    ["with 20 lines", "src/lib/a.ts", "export const a = 1;\n".repeat(20), { "src/lib/b.ts": importer }],
    [
      "loaded on demand",
      "src/lib/a.ts",
      "export const a = 1;\n",
      { "src/lib/b.ts": 'const a = () => import("./a.ts");\n' },
    ],
    ["a route", "src/lib/a.ts", "export const a = route({\n});\n", { "src/lib/b.ts": importer }],
    [
      "a migration",
      "src/lib/0001-a.ts",
      "export const a = 1;\n",
      { "src/lib/b.ts": 'import { a } from "./0001-a.ts";\n' },
    ],
  ])("are not files %s", (_, path, text, others) => {
    expect(placesOf(smallFiles, { [path]: text, ...others })).toEqual([]);
  });
});

describe("files over 25 in a folder", () => {
  const files = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`src/lib/a${index}.ts`, ""]));

  test("are counted", () => {
    expect(placesOf(largeFolders, files(26))).toEqual([expect.objectContaining({ folder: "src/lib", count: 1 })]);
    expect(placesOf(largeFolders, files(40))).toEqual([expect.objectContaining({ folder: "src/lib", count: 15 })]);
  });

  test("do not include tests beside the source, migrations and files in folders below", () => {
    const others = { "src/lib/a1.test.ts": "", "src/lib/0001-first.ts": "", "src/lib/b/c.ts": "" };
    expect(placesOf(largeFolders, { ...files(25), ...others })).toEqual([]);
  });
});

describe("lines of prose over 120 characters", () => {
  const long = "word ".repeat(24);

  test.each([
    ["a line comment", "src/lib/a.ts", `// ${long}\n`],
    ["a comment after code", "src/lib/a.ts", `const a = 1; // ${long}\n`],
    ["a block comment", "src/lib/a.ts", `/**\n * ${long}\n */\n`],
    ["a paragraph", "docs/a.md", `${long}end\n`],
    ["an item of a list", "docs/a.md", `- ${long}\n`],
    ["a comment in YAML", "deploy/compose.yaml", `a: 1 # ${long}\n`],
    ["a comment in Python", "sdk/python/a.py", `# ${long}\n`],
    ["a docstring", "sdk/python/a.py", `"""${long}"""\n`],
    ["a comment in CSS", "web/src/a.css", `/* ${long} */\n`],
  ])("are reported: %s", (_, path, text) => {
    expect(linesOf(longProseLines, path, text)).toHaveLength(1);
  });

  test.each([
    ["120 characters", "docs/a.md", `${long.trim()}.\n`],
    ["code", "src/lib/a.ts", `const a = "${long}";\n`],
    ["a link", "docs/a.md", `- <https://example.com/${"a".repeat(120)}>\n`],
    ["a row of a table", "docs/a.md", `| ${long} |\n`],
    ["HTML", "docs/a.md", `<p>${long}</p>\n`],
    ["a code block", "docs/a.md", `\`\`\`\n${long}\n\`\`\`\n`],
    ["a directive", "src/lib/a.ts", `// biome-ignore lint/a/b: ${long}\n`],
  ])("are not: %s", (_, path, text) => {
    expect(linesOf(longProseLines, path, text)).toEqual([]);
  });
});

describe("long sentences and paragraphs", () => {
  const words = (count: number) => `One${" word".repeat(count - 1)}.`;

  test("a sentence of 26 words is reported, over several lines of a comment or a page", () => {
    expect(linesOf(longSentences, "src/lib/a.ts", `// ${words(26).replace(" word", " word\n// and")}\n`)).toHaveLength(
      1,
    );
    expect(linesOf(longSentences, "docs/a.md", `Short one. ${words(26)}\n`)).toEqual([
      "1: a sentence of 26 words: divide it",
    ]);
  });

  test("25 words, several sentences, items of a list and rows of a table are not reported", () => {
    expect(linesOf(longSentences, "docs/a.md", `${words(25)} ${words(25)}\n`)).toEqual([]);
    expect(linesOf(longSentences, "docs/a.md", `- ${"word ".repeat(20)}\n- ${"word ".repeat(20)}\n`)).toEqual([]);
    expect(linesOf(longSentences, "docs/a.md", `| ${"word ".repeat(20)}|${"word ".repeat(20)}|\n`)).toEqual([]);
  });

  test("a paragraph of six lines is reported, and one of five lines or a list is not", () => {
    expect(linesOf(longParagraphs, "docs/a.md", `${"Text.\n".repeat(6)}`)).toHaveLength(1);
    expect(linesOf(longParagraphs, "docs/a.md", `${"Text.\n".repeat(5)}\n${"- Item.\n".repeat(9)}`)).toEqual([]);
  });
});

describe("banned words in prose", () => {
  test.each([
    ["a line comment", "src/lib/a.ts", "// Nobody waits.\n"],
    ["a block comment", "src/lib/a.ts", "/** It is told\n * to nobody. */\n"],
    ["a phrase over two lines", "src/lib/a.ts", "// The worker lets\n// go of it.\n"],
    ["a message", "src/lib/a.ts", 'throw new Error("It could not be put in");\n'],
    ["a template", "src/lib/a.ts", `${"throw new Error(`the key $"}{id} goes on\`);\n`],
    ["JSX text", "web/src/a.tsx", "const a = <p>Nobody waits</p>;\n"],
    ["a JSX attribute", "web/src/a.tsx", 'const a = <A label="The present one" />;\n'],
    ["a label of one word", "web/src/a.tsx", 'const a = <A label="Answer" />;\n'],
    ["the name of a test", "test/a.test.ts", 'test("nobody waits", () => {});\n'],
    ["the name of a table of tests", "test/a.test.ts", 'test.each([])("nobody waits", () => {});\n'],
    ["a page", "docs/a.md", "# Title\n\nNobody waits.\n"],
    ["a cell of a table", "docs/a.md", "| a | nobody |\n"],
    ["a comment in YAML", "turnpike.example.yaml", "a: 1 # nobody\n"],
    ["a comment in Python", "sdk/python/a.py", "# nobody\n"],
    ["a docstring", "sdk/python/a.py", '"""Waits for nobody."""\n'],
    ["a message in Python", "sdk/python/a.py", 'raise Error("nobody waits")\n'],
    ["a comment in a Dockerfile", "deploy/Dockerfile", "# nobody\n"],
  ])("are reported in %s", (_, path, text) => {
    expect(linesOf(wordsInProse, path, text).length).toBeGreaterThan(0);
  });

  test("are reported with their line, the word to use and the reason", () => {
    expect(linesOf(wordsInProse, "docs/a.md", "Text.\n\nIt is carried\nout.\n")).toEqual([
      '3: "carried out": write run, execute (a phrasal verb with a one-word twin)',
    ]);
  });

  test.each([
    ["a value of one word", "src/lib/a.ts", 'const state = "told";\n'],
    ["data of a test", "test/a.test.ts", 'const prompt = "Tell nobody";\n'],
    ["a code span", "docs/a.md", "The option `--nobody` works.\n"],
    ["a code block", "docs/a.md", "```\nnobody\n```\n"],
    ["the target of a link", "docs/a.md", "[Text](nobody-here.md)\n"],
    ["SQL", "src/lib/a.ts", "const a = sql`select told from nobody`;\n"],
    ["an import", "src/lib/a.ts", 'import { a } from "./nobody.ts";\n'],
    ["the end of a sentence", "docs/a.md", "Carried. Out of stock.\n"],
    ["a relative clause", "docs/a.md", "A caller who sends a request gets a response.\n"],
    ["a verb", "docs/a.md", "The model answers a request.\n"],
    ["an ordinary rest", "docs/a.md", "The rest of the text is unchanged.\n"],
    ["a folder without the word", "src/accounts/a.ts", "// The sound house.\n".replace("sound", "large")],
  ])("are not %s", (_, path, text) => {
    expect(linesOf(wordsInProse, path, text)).toEqual([]);
  });
});

describe("banned words in names", () => {
  test.each([
    ["a function", "src/gateway/a.ts", "export function letIn() {}\n"],
    ["a part of a name", "src/gateway/a.ts", "const letInCaller = 1;\n"],
    ["a constant", "src/gateway/a.ts", "const LET_IN = 1;\n"],
    ["a type", "src/gateway/a.ts", "interface Errand {}\n"],
    ["a property of a type", "src/gateway/a.ts", "interface A {\n  readonly errand: string;\n}\n"],
    ["a method", "src/gateway/a.ts", "class A {\n  #goOn() {}\n}\n"],
    ["a parameter", "src/gateway/a.ts", "const f = (errand: string) => errand;\n"],
    ["a destructured name", "src/gateway/a.ts", "const { id: errand } = a;\n"],
    ["a file", "src/gateway/go-on.ts", ""],
    ["a type that is banned in one folder", "src/gateway/a.ts", "type Step = string;\n"],
    ["Python", "sdk/python/a.py", "def go_on():\n    pass\n"],
  ])("are reported: %s", (_, path, text) => {
    expect(linesOf(wordsInNames, path, text)).toHaveLength(1);
  });

  test("count once for a folder", () => {
    const files = { "src/gateway/guarding/a.ts": "", "src/gateway/guarding/b.ts": "" };
    expect(placesOf(wordsInNames, files).map(({ folder, path }) => `${folder} ${path}`)).toEqual([
      "src/gateway src/gateway/guarding",
    ]);
  });

  test.each([
    ["the use of a name", "src/gateway/a.ts", 'import { letIn } from "./b.ts";\nletIn(errand.id);\n'],
    ["a short destructuring", "src/gateway/a.ts", "const { errand } = call;\n"],
    ["a wire name", "src/gateway/a.ts", "interface A {\n  tool_answer: string;\n}\n"],
    ["a longer word", "src/gateway/a.ts", "const letInside = answered;\n"],
    ["a type that is banned in another folder", "src/assistants/a.ts", "type Step = string;\n"],
    ["another name with the word of an exact entry", "src/gateway/a.ts", "const stepMs = 1;\n"],
  ])("are not %s", (_, path, text) => {
    expect(linesOf(wordsInNames, path, text)).toEqual([]);
  });
});

test("every word that is not checked has a reason", () => {
  expect(UNCHECKED.filter(([old, why]) => old === "" || why === "")).toEqual([]);
});
