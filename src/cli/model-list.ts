/** `all` alone is how people say that nothing is left out; on the wire an empty list says so. */
export const modelList = (models: readonly string[] | undefined): readonly string[] | undefined =>
  models?.length === 1 && models[0] === "all" ? [] : models;
