import type { EchoCall } from "../call.ts";
import { badRequest } from "../failure.ts";
import { findInteger, findOneOf, getText } from "../fields.ts";
import { countInputs, parseInputs } from "../text/inputs.ts";
import { embed } from "./embed.ts";

const DIMENSIONS_DEFAULT = 256;

/** `POST /embeddings`. */
export function embeddings({ body }: EchoCall): Response {
  const model = getText(body, "model");
  const inputs = parseInputs(body.input, "input");
  if (inputs.some(({ text }) => text === ""))
    throw badRequest("'input' must not hold an empty text.", "input", "invalid_value");
  const dimensions = findInteger(body, "dimensions", { min: 1, max: 4096 }) ?? DIMENSIONS_DEFAULT;
  const encoding = findOneOf(body, "encoding_format", ["float", "base64"]) ?? "float";
  const tokens = countInputs(inputs);
  return Response.json({
    object: "list",
    data: inputs.map(({ text }, index) => {
      const vector = embed(text, dimensions);
      return {
        object: "embedding",
        index,
        embedding: encoding === "base64" ? littleEndianBase64(vector) : [...vector],
      };
    }),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}

export function littleEndianBase64(vector: Float32Array<ArrayBuffer>): string {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4));
  vector.forEach((value, at) => {
    bytes.setFloat32(at * 4, value, true);
  });
  return Buffer.from(bytes.buffer).toString("base64");
}
