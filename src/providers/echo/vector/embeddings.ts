import { encodeVector } from "../../embedding-format.ts";
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
    data: inputs.map(({ text }, index) => ({
      object: "embedding",
      index,
      embedding: encodeVector([...embed(text, dimensions)], encoding),
    })),
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  });
}
