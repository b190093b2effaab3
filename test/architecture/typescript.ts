import { type Comment, parseSync, visitorKeys } from "oxc-parser";
import type { FunctionFact, NameFact, ProseText, SourceFacts } from "./facts.ts";
import { isTest } from "./repository.ts";

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const TEST_CALLS: ReadonlySet<string> = new Set(["test", "it", "describe"]);
const SEVERAL_WORDS = /[A-Za-z][^\s]* +[^\s]*[A-Za-z]/;
/** A label of one word, such as "Models"; wire values are in lower case. */
const LABEL = /^[A-Z][a-z]+$/;

/** Reads the functions, the declared names and the prose of a TypeScript or JavaScript file. */
export function readTypeScript(path: string, text: string): SourceFacts {
  // "js" leaves out the types of parameters and variables, which no rule needs: the AST is a third smaller.
  const parsed = parseSync(path, text, { astType: "js", preserveParens: false });
  const [error] = parsed.errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const reader = new TypeScriptReader(path, text);
  reader.visit(parsed.program as unknown as SyntaxNode, null);
  return {
    functions: reader.functions,
    names: reader.names,
    prose: [...joinComments(parsed.comments, text), ...reader.prose],
  };
}

/** Consecutive line comments are one text: a sentence continues from line to line. */
function joinComments(comments: readonly Comment[], text: string): ProseText[] {
  const joined: { start: number; end: number; line: boolean }[] = [];
  for (const { start, end, type } of comments) {
    const last = joined.at(-1);
    const continues = type === "Line" && last?.line === true && /^\n[ \t]*$/.test(text.slice(last.end, start));
    if (last !== undefined && continues) last.end = end;
    else joined.push({ start, end, line: type === "Line" });
  }
  return joined.map(({ start, end }) => ({ kind: "comment", start, text: text.slice(start, end) }));
}

class TypeScriptReader {
  readonly functions: FunctionFact[] = [];
  readonly names: NameFact[] = [];
  readonly prose: ProseText[] = [];
  readonly #text: string;
  readonly #test: boolean;
  readonly #web: boolean;
  /** First arguments of test(), which are prose, and callbacks of describe(), which only group. */
  readonly #testNames = new Set<unknown>();
  readonly #groups = new Set<unknown>();

  constructor(path: string, text: string) {
    this.#text = text;
    this.#test = isTest(path);
    this.#web = path.startsWith("web/");
  }

  visit(node: SyntaxNode, parent: SyntaxNode | null): void {
    this.#read(node, parent);
    for (const key of visitorKeys[node.type] ?? []) {
      const child = node[key];
      if (Array.isArray(child)) {
        for (const item of child) if (item !== null) this.visit(item, node);
      } else if (child !== null && child !== undefined) this.visit(child as SyntaxNode, node);
    }
  }

  #read(node: SyntaxNode, parent: SyntaxNode | null): void {
    switch (node.type) {
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        this.#readFunction(node, parent);
        break;
      case "VariableDeclarator":
      case "ClassDeclaration":
      case "TSInterfaceDeclaration":
      case "TSTypeAliasDeclaration":
      case "TSEnumDeclaration":
        this.#readBinding(node.id);
        break;
      case "MethodDefinition":
      case "PropertyDefinition":
      case "TSPropertySignature":
      case "TSMethodSignature":
        if (node.computed !== true) this.#readBinding(node.key);
        break;
      case "CallExpression":
        this.#readCall(node);
        break;
      case "JSXText":
        this.#readText(node, 0);
        break;
      case "Literal":
        this.#readLiteral(node);
        break;
      case "TemplateLiteral":
        if (parent?.type !== "TaggedTemplateExpression") this.#readTemplate(node);
    }
  }

  #readFunction(node: SyntaxNode, parent: SyntaxNode | null): void {
    const parameters = node.params as SyntaxNode[];
    this.#readBinding(node.id);
    for (const parameter of parameters) this.#readBinding(parameter);
    if (this.#groups.has(node)) return;
    const named = (node.id ?? parent?.id ?? parent?.key ?? parent?.left) as SyntaxNode | undefined;
    const name = typeof named?.name === "string" ? named.name : "a function without a name";
    this.functions.push({ name, start: node.start, end: node.end, parameters: parameters.length });
  }

  /** A destructuring takes its short names from properties, and those count where they are declared. */
  #readBinding(pattern: unknown): void {
    if (pattern === null || pattern === undefined) return;
    const node = pattern as SyntaxNode;
    if (node.type === "Identifier" || node.type === "PrivateIdentifier") {
      this.names.push({ name: String(node.name), start: node.start });
    }
    if (node.type === "AssignmentPattern") this.#readBinding(node.left);
    if (node.type === "RestElement") this.#readBinding(node.argument);
    if (node.type === "ArrayPattern") for (const item of node.elements as unknown[]) this.#readBinding(item);
    if (node.type !== "ObjectPattern") return;
    for (const property of node.properties as SyntaxNode[]) {
      if (property.type === "RestElement") this.#readBinding(property);
      else if (property.shorthand !== true) this.#readBinding(property.value);
    }
  }

  #readCall(node: SyntaxNode): void {
    let root = node.callee as SyntaxNode;
    while (root.type === "MemberExpression" || root.type === "CallExpression") {
      root = (root.type === "MemberExpression" ? root.object : root.callee) as SyntaxNode;
    }
    if (root.type !== "Identifier" || !TEST_CALLS.has(String(root.name))) return;
    const [name, ...others] = node.arguments as SyntaxNode[];
    if (name !== undefined) this.#testNames.add(name);
    if (root.name === "describe") for (const callback of others) this.#groups.add(callback);
  }

  #readLiteral(node: SyntaxNode): void {
    if (typeof node.value !== "string") return;
    const isLabel = this.#web && LABEL.test(node.value);
    if (isLabel || SEVERAL_WORDS.test(node.value)) this.#readText(node, 1);
  }

  /** The values in a template become code spans of equal length: a sentence continues after them. */
  #readTemplate(node: SyntaxNode): void {
    const parts = node.quasis as SyntaxNode[];
    const texts = parts.map(({ start, end }) => this.#text.slice(start, end));
    if (!texts.some((part) => SEVERAL_WORDS.test(part))) return;
    let text = "";
    for (const [index, part] of texts.entries()) {
      const gap = (parts[index]?.start ?? 0) - node.start - 1 - text.length;
      text += index === 0 ? part : `\`${"x".repeat(gap - 2)}\`${part}`;
    }
    this.#addMessage(node, { start: node.start + 1, text });
  }

  #readText(node: SyntaxNode, margin: number): void {
    const [start, end] = [node.start + margin, node.end - margin];
    this.#addMessage(node, { start, text: this.#text.slice(start, end) });
  }

  #addMessage(node: SyntaxNode, place: { start: number; text: string }): void {
    if (!this.#test || this.#testNames.has(node)) this.prose.push({ kind: "message", ...place });
  }
}
