/**
 * What the API page runs. An operation has one row, under its first path, which says where else it is: a quarter of all rows would
 * be aliases. No validator: the page asks no other host for anything.
 *
 * Swagger UI goes through the whole description, which takes it seconds, when it begins and whenever an operation is opened. So it
 * is given what it asks about and what that refers to, and nothing else; and the description as it was read, rather than as a text that it
 * would parse as YAML.
 */
export const DOCS_PAGE_SCRIPT = `(async () => {
  const spec = await (await fetch("/openapi.json")).json();
  for (const [path, operations] of Object.entries(spec.paths)) {
    for (const [method, { "x-alias-of": first }] of Object.entries(operations)) {
      if (first === undefined) continue;
      const shown = spec.paths[first][method];
      shown.description = (shown.description ?? "") + "\\n\\nAlso: \`" + path + "\`";
      delete operations[method];
    }
    if (Object.keys(operations).length === 0) delete spec.paths[path];
  }

  const at = (object, keys) => keys.reduce((inner, key) => inner?.[key], object);
  const put = (object, keys, value) => {
    const last = keys.at(-1);
    keys.slice(0, -1).reduce((inner, key) => (inner[key] ??= {}), object)[last] = value;
  };
  const addReferred = (part, from, to) => {
    if (typeof part !== "object" || part === null) return;
    if (typeof part.$ref === "string") {
      const keys = part.$ref.slice(2).split("/");
      if (at(to, keys) !== undefined) return;
      put(to, keys, at(from, keys));
      addReferred(at(from, keys), from, to);
    }
    for (const inner of Object.values(part)) addReferred(inner, from, to);
  };
  const partOf = (whole, keys) => {
    const part = { openapi: whole.openapi, info: whole.info, servers: whole.servers, paths: {} };
    put(part, keys, at(whole, keys));
    addReferred(at(whole, keys), whole, part);
    return part;
  };
  const inParts = ({ fn: { resolveSubtree } }) => ({
    fn: { resolveSubtree: (whole, keys, options) => resolveSubtree(partOf(whole, keys), keys, options) },
    statePlugins: {
      spec: { wrapActions: { parseToJson: (_, { specActions }) => () => specActions.updateJsonSpec(spec) } },
    },
  });

  SwaggerUIBundle({
    spec: { openapi: spec.openapi },
    plugins: [inParts],
    dom_id: "#page",
    deepLinking: true,
    docExpansion: "none",
    defaultModelsExpandDepth: 0,
    tryItOutEnabled: true,
    validatorUrl: null,
  });
})();
`;
