import { openApiPath } from "./path.ts";
import type { Route } from "./route.ts";

/** The API in a page that a language model can read: what it is, how to call it, every operation in one line. */
export function buildLlmsText(routes: readonly Route[], publicUrl: string, keyHeaders: readonly string[]): string {
  const byTag = new Map<string, Route[]>();
  for (const route of routes) {
    if (!route.hidden) byTag.set(route.tag, [...(byTag.get(route.tag) ?? []), route]);
  }
  const sections = Array.from(byTag, ([tag, members]) => `## ${tag}\n\n${members.map(line).join("\n")}`);
  return `# Turnpike

> One OpenAI-style address for many model providers, with accounts, keys, prepaid credits and usage.

Any OpenAI client works with the base address ${publicUrl}/v1 and a key that begins with \`sk-\`, sent as
${carriers(keyHeaders)}. Machine-readable description: ${publicUrl}/openapi.json

${sections.join("\n\n")}
`;
}

function carriers(headers: readonly string[]): string {
  const bearer = headers.includes("authorization") ? ["`Authorization: Bearer`"] : [];
  const other = headers.find((name) => name !== "authorization");
  return [...bearer, ...(other === undefined ? [] : [`\`${other}\``])].join(" or ");
}

const line = (route: Route): string =>
  `- ${route.method} ${route.paths.map((path) => `\`${openApiPath(path)}\``).join(", ")}: ${route.summary}`;
