import type { Tool } from "../contract/assistants/parts.ts";
import { GatewayError } from "../contract/errors.ts";

/** Tools that runs can carry out. Code is not run here, and saying so at once is kinder than a run that fails. */
export function checkTools(tools: readonly Tool[], served: ReadonlySet<Tool["type"]>): readonly Tool[] {
  const unserved = tools.find(({ type }) => !served.has(type));
  if (unserved) {
    throw new GatewayError(
      "invalid_request",
      `The tool \`${unserved.type}\` is not served here; there are ${[...served].map((type) => `\`${type}\``).join(" and ")}.`,
      { param: "tools" },
    );
  }
  const names = tools.flatMap((tool) => (tool.type === "function" ? [tool.function.name] : []));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new GatewayError("invalid_request", `There are two functions called \`${twice}\`.`, { param: "tools" });
  }
  if (names.includes("file_search") && tools.some(({ type }) => type === "file_search")) {
    throw new GatewayError("invalid_request", "A function beside the tool `file_search` has another name.", {
      param: "tools",
    });
  }
  if (tools.filter(({ type }) => type === "file_search").length > 1) {
    throw new GatewayError("invalid_request", "`file_search` can be there once.", { param: "tools" });
  }
  return tools;
}
