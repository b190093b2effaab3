import { json, text } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";

/** The description is made when it is first asked for: it lists every route, its own included. */
export const openApiDocument = (build: () => object): Route => {
  let document: object | null = null;
  return route({
    method: "GET",
    paths: ["/openapi.json", "/api/openapi.json"],
    tag: "Service",
    summary: "This API as an OpenAPI 3.1 document",
    auth: "none",
    success: "application/json",
    errors: [],
    handle() {
      document ??= build();
      return json(document);
    },
  });
};

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
