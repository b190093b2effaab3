import type { EchoCall, Form } from "../call.ts";
import { badRequest } from "../failure.ts";
import type { Fields } from "../fields.ts";
import { hashText } from "../seeded.ts";
import { drawLandscape } from "./draw.ts";
import { answerPictures, parsePrompt, parseSize, pictureTokens, type Size } from "./images.ts";
import type { Picture } from "./png.ts";
import { findPixels, type ReadPicture } from "./read-png.ts";

const IMAGES_MAX = 16;
const SIDE_MAX = 1024;
const SIDE_MIN = 16;

/**
 * `POST /images/edits`: a landscape drawn from the prompt over the first picture, where its mask is transparent, or half
 * through it all. Echo opens PNG alone; of other pictures, and of further ones, the bytes choose the landscape.
 */
export async function edits(call: EchoCall): Promise<Response> {
  const body = { ...call.body, ...(call.body.n === undefined ? {} : { n: Number(call.body.n) }) };
  const prompt = parsePrompt(body);
  const given = await readImages(call.form);
  const under = given[0] ? await findPixels(given[0]) : null;
  const mask = await readMask(call.form, under);
  const size = sizeOf(body, under);
  const seed = given.map((bytes) => hashText(bytes.toString("latin1", 0, SEED_BYTES), bytes.length)).join();
  const draw = (number: number): Picture => {
    const drawn = drawLandscape(`${prompt} ${seed}`, number, size.width, size.height);
    if (under !== null) showThrough(drawn, under, mask);
    return drawn;
  };
  return answerPictures(
    { ...call, body },
    { size, draw, prompt, givenTokens: given.length * pictureTokens(under ?? size) },
  );
}

/** Of a picture that only chooses: enough to tell it from others, and soon read. */
const SEED_BYTES = 64 * 1024;

async function readImages(form: Form | undefined): Promise<Buffer[]> {
  const files = [...(form?.getAll("image") ?? []), ...(form?.getAll("image[]") ?? [])];
  const images = await Promise.all(files.map(async (file) => (file instanceof Blob ? bytesOf(file) : Buffer.alloc(0))));
  if (images.length > 0 && images.length <= IMAGES_MAX && images.every((image) => image.length > 0)) return images;
  throw badRequest(`'image' must be 1 to ${IMAGES_MAX} files of a multipart form.`, "image", "invalid_value");
}

const bytesOf = async (file: Blob): Promise<Buffer> => Buffer.from(await file.arrayBuffer());

async function readMask(form: Form | undefined, under: ReadPicture | null): Promise<ReadPicture | null> {
  const file = form?.get("mask");
  if (!(file instanceof Blob)) return null;
  const mask = await findPixels(await bytesOf(file));
  if (mask === null) throw badRequest("'mask' must be a PNG with 8 bits a channel.", "mask", "invalid_value");
  if (under === null || (mask.width === under.width && mask.height === under.height)) return mask;
  throw badRequest("'mask' must have the size of the first image.", "mask", "invalid_value");
}

/** Without a wish, as the picture is, as far as echo draws. */
function sizeOf(body: Fields, under: ReadPicture | null): Size {
  if (under === null || (body.size !== undefined && body.size !== "auto")) return parseSize(body);
  const scale = Math.min(1, SIDE_MAX / Math.max(under.width, under.height));
  const side = (length: number) => Math.max(SIDE_MIN, Math.round(length * scale));
  return { width: side(under.width), height: side(under.height) };
}

function showThrough({ width, height, rgb }: Picture, under: ReadPicture, mask: ReadPicture | null): void {
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor((y * under.height) / height) * under.width;
    for (let x = 0; x < width; x++, at += 3) {
      const from = row + Math.floor((x * under.width) / width);
      const share = mask ? (mask.alpha[from] ?? 255) / 255 : 0.5;
      for (let color = 0; color < 3; color++) {
        const drawn = rgb[at + color] ?? 0;
        rgb[at + color] = drawn + ((under.rgb[from * 3 + color] ?? 0) - drawn) * share;
      }
    }
  }
}
