import type { EchoCall } from "../call.ts";
import { createdSeconds } from "../call.ts";
import { badRequest } from "../failure.ts";
import type { Fields } from "../fields.ts";
import { findInteger, findOneOf, findText, getText } from "../fields.ts";
import { countTokens } from "../text/tokenize.ts";
import { drawLandscape } from "./draw.ts";
import { encodePng, type Picture } from "./png.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

interface Drawing {
  readonly size: Size;
  draw(number: number): Picture;
  readonly prompt: string;
  /** Of pictures that were given. */
  readonly givenTokens: number;
}

/** `POST /images/generations`. */
export async function images(call: EchoCall): Promise<Response> {
  const prompt = parsePrompt(call.body);
  const size = parseSize(call.body);
  const draw = (number: number) => drawLandscape(prompt, number, size.width, size.height);
  return answerPictures(call, { size, draw, prompt, givenTokens: 0 });
}

export async function answerPictures(call: EchoCall, { size, draw, prompt, givenTokens }: Drawing): Promise<Response> {
  const { body } = call;
  const count = findInteger(body, "n", { min: 1, max: 10 }) ?? 1;
  const format = findOneOf(body, "response_format", ["b64_json", "url"]) ?? "b64_json";
  findOneOf(body, "output_format", ["png"]);
  if (body.stream === true || body.stream === "true")
    throw badRequest("Echo draws its pictures at once and does not stream them.", "stream", "unsupported_value");
  const data: object[] = [];
  for (let number = 0; number < count; number++) {
    const png = await encodePng(draw(number));
    const base64 = png.toString("base64");
    data.push(format === "url" ? { url: `data:image/png;base64,${base64}` } : { b64_json: base64 });
  }
  return Response.json({
    created: createdSeconds(call),
    background: "opaque",
    output_format: "png",
    size: `${size.width}x${size.height}`,
    data,
    usage: imageUsage(countTokens(prompt), givenTokens, count * pictureTokens(size)),
  });
}

/** A picture counts as one token for each 32 by 32 square, begun ones included: 256 for the default size. */
export function pictureTokens({ width, height }: Size): number {
  return Math.ceil(width / 32) * Math.ceil(height / 32);
}

function imageUsage(textTokens: number, imageTokens: number, outputTokens: number): object {
  const inputTokens = textTokens + imageTokens;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    input_tokens_details: { text_tokens: textTokens, image_tokens: imageTokens },
  };
}

export function parsePrompt(body: Fields): string {
  const prompt = getText(body, "prompt");
  if (prompt === "") throw badRequest("'prompt' must not be empty.", "prompt", "invalid_value");
  return prompt;
}

export function parseSize(body: Fields): Size {
  const size = findText(body, "size") ?? "auto";
  if (size === "auto") return { width: 512, height: 512 };
  const [, width, height] = (/^(\d{1,4})x(\d{1,4})$/.exec(size) ?? []).map(Number);
  if (width !== undefined && height !== undefined && [width, height].every((side) => side >= 16 && side <= 1024)) {
    return { width, height };
  }
  throw badRequest("'size' must be WIDTHxHEIGHT with sides of 16 to 1024.", "size", "invalid_value");
}
