import { extname } from "node:path";
import type { Command } from "commander";
import type { Api } from "./api.ts";
import { callWithKey, KEY_FLAG, KEYLESS_HINT } from "./call-with-key.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, readCount } from "./context.ts";
import { type Downloaded, download } from "./download.ts";
import { readPrompt } from "./read-prompt.ts";
import { requireFolder } from "./require-folder.ts";

const DOWNLOAD_TIMEOUT_MS = 5 * 60 * 1000;
const EXAMPLE = 'images "A cat" -m MODEL --out cat.png';

interface ImageFlags {
  readonly model: string;
  readonly out: string;
  readonly size?: string;
  readonly quality?: string;
  readonly count?: number;
  readonly key?: string;
  readonly user?: string;
}

/** A picture comes in the answer, or as the address that it lies at for a while. */
interface Picture {
  readonly b64_json?: string | null;
  readonly url?: string | null;
}

export function addImages(program: Command, act: Act): void {
  program
    .command("images")
    .description("have a model draw pictures, and write them to files")
    .argument("[prompt]", "what to draw; - or nothing reads what is piped in")
    .requiredOption("-m, --model <model>", "which model; `models list --type image` shows them")
    .requiredOption("--out <file>", "where to write it; several get a number each, such as cat-1.png")
    .option("--size <size>", "such as 1024x1024; what there is depends on the model")
    .option("--quality <quality>", "such as high; what there is depends on the model")
    .option("--count <number>", "how many", readCount)
    .option(...KEY_FLAG)
    .option("--user <id>", "the end user that the call is made for; some servers want one")
    .action(
      act(async (context, flags: ImageFlags, given?: string) => {
        const { api, output } = context;
        const { model, out, size, quality, count: n, key, user } = flags;
        requireFolder(out);
        if ((n ?? 1) > 1) numbered(out, 1);
        const body = { model, prompt: await readPrompt(context, given, EXAMPLE), size, quality, n, user };
        const response = await callWithKey(context, key, "/v1/images/generations", body, KEYLESS_HINT);
        const pictures = await picturesOf(api, response);
        const data = [];
        for (const [at, picture] of pictures.entries()) {
          const file = pictures.length === 1 ? out : numbered(out, at + 1);
          data.push({ id: file, file, ...(await save(api, picture, file)) });
        }
        output.listAll(data, { FILE: ({ file }) => file, BYTES: ({ bytes }) => bytes });
      }),
    );
}

async function picturesOf(api: Api, response: Response): Promise<readonly Picture[]> {
  const { data = [] } = (await response.json().catch((thrown) => {
    throw api.failureOf(thrown);
  })) as { readonly data?: readonly Picture[] };
  if (data.length === 0) throw new CliError(EXIT.error, "NO_PICTURE", "The model has drawn nothing.");
  return data;
}

async function save(api: Api, { b64_json, url }: Picture, file: string): Promise<Downloaded> {
  if (b64_json) return download(api, new Response(Buffer.from(b64_json, "base64")), file, null);
  if (url && /^https?:/.test(url)) return download(api, await fetchPicture(url), file, null);
  throw new CliError(EXIT.error, "NO_PICTURE", "The answer has neither a picture nor its address.");
}

/** The address is a provider's: it is told nothing of ours. */
async function fetchPicture(url: string): Promise<Response> {
  const { host } = new URL(url);
  const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) }).catch(() => null);
  if (response?.ok) return response;
  const why = response === null ? "cannot be reached" : `answered ${response.status}`;
  throw new CliError(EXIT.network, "NETWORK_ERROR", `The picture lies at ${host}, which ${why}.`, {
    hint: `Try it yourself while it is there: ${url}`,
  });
}

/** cat.png becomes cat-1.png, cat-2.png and so on. */
function numbered(out: string, number: number): string {
  if (out.startsWith("/dev/")) throw usageError("Several pictures need a file each.", "Name a file with --out.");
  const ending = extname(out);
  return `${out.slice(0, out.length - ending.length)}-${number}${ending}`;
}
