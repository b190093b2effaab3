/** A vector as the request's `encoding_format` asks for it; base64 is of little-endian float32, as OpenAI has it. */
export function encodeVector(
  vector: readonly number[],
  format: "float" | "base64" | null | undefined,
): readonly number[] | string {
  if (format !== "base64") return vector;
  const bytes = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [index, value] of vector.entries()) bytes.setFloat32(index * 4, value, true);
  return Buffer.from(bytes.buffer).toString("base64");
}
