import { dirname, join } from "node:path";
import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import { PrecompressedResponse } from "../../http/precompressed-response.ts";
import { page } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { PROGRAM_ROOT } from "../../lib/program-root.ts";
import { DOCS_PAGE_SCRIPT } from "./docs-page-script.ts";

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Turnpike API</title>
<link rel="icon" href="/docs/assets/favicon-32x32.png">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. The description itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/start.js"></script>
</body>
</html>
`;

const ASSETS: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

export const docsPage = (): Route =>
  route({
    method: "GET",
    paths: ["/docs", "/api/docs"],
    tag: "Service",
    summary: "This API as a page to try it out",
    auth: "none",
    success: "text/html",
    errors: [],
    hidden: true,
    handle: () => page(HTML),
  });

/** A person who opens the bare address is shown where to look. */
export const homePage = (): Route =>
  route({
    method: "GET",
    paths: ["/"],
    tag: "Service",
    summary: "To the pages for people",
    auth: "none",
    success: "text/html",
    errors: [],
    hidden: true,
    handle: () => new Response(null, { status: 307, headers: { location: "/ui" } }),
  });

/** The page's files come from the installed package, by a list of names: no path from outside reaches the disk. */
export const docsAssets = (): Route => {
  const files = new Map(Object.entries(ASSETS).map(([name, type]) => [name, asset(() => readAsset(name), type)]));
  const script = new TextEncoder().encode(DOCS_PAGE_SCRIPT);
  files.set(
    "start.js",
    asset(() => script, "text/javascript; charset=utf-8"),
  );
  return route({
    method: "GET",
    paths: ["/docs/assets/{file}"],
    tag: "Service",
    summary: "Files of the API page",
    auth: "none",
    params: Type.Object({ file: Type.String() }),
    success: "application/octet-stream",
    errors: ["not_found"],
    hidden: true,
    handle({ params, request }) {
      const file = files.get(params.file);
      if (!file) throw new GatewayError("not_found", "There is no such file.");
      return file.to(request);
    },
  });
};

/** Looked for when somebody opens the page: it takes reading the folder of all packages. */
const readAsset = (name: string) =>
  Bun.file(join(dirname(Bun.resolveSync("swagger-ui-dist/package.json", PROGRAM_ROOT)), name)).bytes();

const asset = (load: ConstructorParameters<typeof PrecompressedResponse>[0], type: string): PrecompressedResponse =>
  new PrecompressedResponse(load, {
    "content-type": type,
    "cache-control": "public, max-age=3600",
    "x-content-type-options": "nosniff",
  });
