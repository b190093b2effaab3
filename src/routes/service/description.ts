import Type from "typebox";
import { PrecompressedResponse } from "../../http/precompressed-response.ts";
import { text } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";

/** The description is made when it is first asked for: it lists every route, its own included. */
export const openApiDocument = (build: () => object): Route => {
  let bytes: Uint8Array<ArrayBuffer> | null = null;
  const load = () => (bytes ??= new TextEncoder().encode(JSON.stringify(build())));
  // Asked for anew each time: the next version of the program may have another one.
  const ready = new PrecompressedResponse(load, {
    "content-type": "application/json;charset=utf-8",
    "cache-control": "no-cache",
  });
  return route({
    method: "GET",
    paths: ["/openapi.json", "/api/openapi.json"],
    tag: "Service",
    summary: "This API as an OpenAPI 3.1 document",
    auth: "none",
    success: Type.Object({}, { additionalProperties: true }),
    errors: [],
    handle: ({ request }) => ready.to(request),
  });
};

export const agentSkill = (build: () => string): Route =>
  route({
    method: "GET",
    paths: ["/api/agents/skill"],
    tag: "Service",
    summary: "How an agent signs in, makes a key and calls a model here, as a skill in Markdown",
    auth: "none",
    success: "text/markdown",
    errors: [],
    handle: () => text(build(), "text/markdown; charset=utf-8"),
  });

export const llmsText = (build: () => string): Route =>
  route({
    method: "GET",
    paths: ["/llms.txt"],
    tag: "Service",
    summary: "This API as a text that language models read",
    auth: "none",
    success: "text/plain",
    errors: [],
    handle: () => text(build()),
  });
