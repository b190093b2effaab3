import { blank, type FunctionFact, type NameFact, type ProseText, type SourceFacts } from "./facts.ts";
import { isTest } from "./repository.ts";

const NO_CODE = { functions: [], names: [] };

/** Reads the comments of YAML, TOML, Dockerfiles and other files in which `#` opens one. */
export function readHashComments(text: string): SourceFacts {
  return { ...NO_CODE, prose: joinLines(findAll(text, /(?<=^|[ \t])#[^\n]*/gm), text) };
}

export function readStyleSheet(text: string): SourceFacts {
  return { ...NO_CODE, prose: findAll(text, /\/\*[\s\S]*?\*\//g) };
}

/** Consecutive comment lines are one text: a sentence continues from line to line. */
function joinLines(comments: readonly ProseText[], text: string): ProseText[] {
  const joined: ProseText[] = [];
  for (const comment of comments) {
    const last = joined.at(-1);
    const end = last === undefined ? 0 : last.start + last.text.length;
    const continues = last !== undefined && /^\n[ \t]*$/.test(text.slice(end, comment.start));
    if (!continues) joined.push(comment);
    else joined.splice(-1, 1, { ...last, text: text.slice(last.start, comment.start + comment.text.length) });
  }
  return joined;
}

function findAll(text: string, pattern: RegExp): ProseText[] {
  return [...text.matchAll(pattern)].map((match) => ({ kind: "comment", start: match.index, text: match[0] }));
}

const FENCE = /^ *(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ *\1[^\n]*$|$(?![\s\S]))/gm;
const HTML = /<!--[\s\S]*?-->|<\/?[a-z][^>]*>/gi;
const LINK_TARGET = /(?<=\])\([^)\s]*\)|^\[[^\]]+\]: \S+/gm;

/** Reads a Markdown page; code blocks, HTML and the targets of links are left out. */
export function readMarkdown(text: string): SourceFacts {
  const prose = [FENCE, HTML, LINK_TARGET].reduce((page, pattern) => page.replace(pattern, blank), text);
  return { ...NO_CODE, prose: [{ kind: "page", start: 0, text: prose }] };
}

const PYTHON_TOKEN = /#[^\n]*|("""|''')[\s\S]*?\1|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
const PYTHON_FUNCTION = /^([ \t]*)(?:async )?def (\w+)\(([^)]*)\)[^:]*:/gm;
const PYTHON_NAME = /\b(?:def|class|for|as) (\w+)|^[ \t]*(\w+)(?:: [^=\n]+)? = /gm;
const SEVERAL_WORDS = /[A-Za-z]\S* +\S*[A-Za-z]/;

/** Reads the functions, the declared names and the prose of a Python file. */
export function readPython(path: string, text: string): SourceFacts {
  const comments: ProseText[] = [];
  const strings: ProseText[] = [];
  const code = text.replace(PYTHON_TOKEN, (token: string, quotes: string | undefined, start: number) => {
    if (token.startsWith("#") || quotes !== undefined) comments.push({ kind: "comment", start, text: token });
    else if (!isTest(path) && SEVERAL_WORDS.test(token)) strings.push({ kind: "message", start, text: token });
    return blank(token);
  });
  return {
    functions: [...code.matchAll(PYTHON_FUNCTION)].map((match) => readPythonFunction(code, match)),
    names: [...code.matchAll(PYTHON_NAME)].map(readPythonName),
    prose: [...joinLines(comments, text), ...strings],
  };
}

function readPythonFunction(code: string, match: RegExpExecArray): FunctionFact {
  const [head, indent = "", name = "", list = ""] = match;
  const body = code.slice(match.index + head.length);
  const next = new RegExp(`\\n[ \\t]{0,${indent.length}}[^\\s]`).exec(body);
  const length = body.slice(0, next?.index ?? body.length).trimEnd().length;
  // Parameters after `*` are given by name, as the fields of an options object are.
  const [positional = ""] = list.split(/(?:^|,)\s*\*/);
  const parameters = positional
    .replace(/\[[^\]]*\]/g, "")
    .split(",")
    .map((part) => part.trim().split(/[:=\s]/)[0] ?? "");
  const counted = parameters.filter((parameter) => /^\w/.test(parameter) && !/^(?:self|cls)$/.test(parameter));
  return {
    name,
    start: match.index + indent.length,
    end: match.index + head.length + length,
    parameters: counted.length,
  };
}

function readPythonName(match: RegExpExecArray): NameFact {
  const name = match[1] ?? match[2] ?? "";
  return { name, start: match.index + match[0].indexOf(name) };
}
