/** A list of model groups in its text column. */
export function encodeModels(models: readonly string[]): string {
  return JSON.stringify(models);
}

export function decodeModels(text: string): readonly string[] {
  const models: unknown = JSON.parse(text);
  if (!Array.isArray(models) || !models.every((model) => typeof model === "string")) {
    throw new TypeError("a models column does not hold a list of names");
  }
  return models;
}
