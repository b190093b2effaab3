import Type from "typebox";
import { GatewayError } from "../../contract/errors.ts";
import type { PageFacts } from "../../contract/page-facts.ts";
import { takesEncoding } from "../../http/encodings.ts";
import { plainPage, scriptedPage } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import { escapeHtml } from "../../lib/html.ts";
import { randomBase62 } from "../../lib/ids.ts";
import { plainFrame } from "../auth/plain-frame.ts";
import type { WebBuild, WebFile } from "./web-build.ts";

/** Stands in the built page where each answer has a nonce of its own, for the styles that the page makes. */
const NONCE_PLACE = "__CSP_NONCE__";
const FACTS_PLACE = "__PAGE_FACTS__";
const NOSCRIPT = /<noscript>[\s\S]*?<\/noscript>/;
const LASTING = "public, max-age=31536000, immutable";
const shared = { method: "GET", tag: "Service", auth: "none", success: "text/html", hidden: true } as const;

/** The pages as they were built, and what they are told of this server. */
export interface Pages {
  readonly build: WebBuild;
  readonly facts: PageFacts;
}

/** The pages for people. They are one program in the browser, which finds the page by the address; deep links begin with it too. */
export const uiRoutes = (pages: Pages): Route[] => [
  route({
    ...shared,
    paths: ["/ui", "/ui/"],
    summary: "The pages for people",
    errors: [],
    handle: () => startPage(pages),
  }),
  route({
    ...shared,
    paths: ["/ui/{path...}"],
    summary: "The pages for people, and their files",
    params: Type.Object({ path: Type.String() }),
    errors: ["not_found"],
    handle({ params, request }) {
      const file = pages.build.find(params.path);
      if (file) return sendFile(file, request.headers.get("accept-encoding") ?? "");
      if (params.path.startsWith("assets/")) throw new GatewayError("not_found", "There is no such file.");
      return startPage(pages);
    },
  }),
];

/** The page that every address begins with. `withoutScripts` is what those see who let no script run. */
export function startPage({ build, facts }: Pages, withoutScripts?: (nonce: string) => string): Response {
  const index = build.findIndex();
  if (index === null) return plainPage(NOT_BUILT, 503);
  const nonce = randomBase62(22);
  const page = index.replaceAll(NONCE_PLACE, nonce).replace(FACTS_PLACE, () => escapeHtml(JSON.stringify(facts)));
  const shown = withoutScripts && `<noscript>${withoutScripts(nonce)}</noscript>`;
  return scriptedPage(shown === undefined ? page : page.replace(NOSCRIPT, () => shown), nonce);
}

function sendFile({ path, type, lasting, encodings }: WebFile, accepted: string): Response {
  const encoding = encodings.find(({ name }) => takesEncoding(accepted, name));
  return new Response(Bun.file(path + (encoding?.suffix ?? "")), {
    headers: {
      "content-type": type,
      "cache-control": lasting ? LASTING : "public, max-age=300",
      "x-content-type-options": "nosniff",
      vary: "accept-encoding",
      ...(encoding ? { "content-encoding": encoding.name } : {}),
    },
  });
}

const NOT_BUILT = plainFrame(
  "Turnpike",
  `<h1>The pages are not built</h1>
<p>The API works. <code>npm start</code> builds the pages and says why if it cannot; see what it printed.</p>
<p><a href="/fallback/login">Log in without them</a> or read <a href="/docs">the API</a>.</p>`,
);
