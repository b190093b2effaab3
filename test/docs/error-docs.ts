import { anthropicError, googleError } from "../../src/contract/error-body.ts";
import { ERRORS, type ErrorKind, type ErrorSpec } from "../../src/contract/errors.ts";
import { declaredErrors, type Route } from "../../src/http/route.ts";

/** The row of `docs/errors.md` that stands for a kind of error. */
export function errorRow(kind: ErrorKind): string {
  const spec: ErrorSpec = ERRORS[kind];
  const management = `${spec.managementStatus ?? spec.status} \`${spec.management}\``;
  const { status, type } = anthropicError(kind);
  const anthropic = `${status} \`${type}\``;
  const google = googleError(kind);
  const cells = [`\`${kind}\``, spec.status, spec.name, `\`${spec.type}\``, `\`${spec.code}\``, management, anthropic];
  return `| ${[...cells, `${google.code} \`${google.status}\``, spec.retry ? "yes" : "no", spec.meaning].join(" | ")} |`;
}

/** Kinds that the table has and the page does not, word for word. */
export const undocumentedKinds = (page: string): ErrorKind[] =>
  (Object.keys(ERRORS) as ErrorKind[]).filter((kind) => !page.includes(errorRow(kind)));

/** Operations that can answer with an error that the page does not explain. */
export function undocumentedErrors(routes: readonly Route[], page: string): string[] {
  return routes.flatMap((route) =>
    declaredErrors(route)
      .filter((kind) => !Object.hasOwn(ERRORS, kind) || !page.includes(errorRow(kind)))
      .map((kind) => `${route.method} ${route.paths[0]} declares \`${kind}\`, which docs/errors.md does not explain`),
  );
}
