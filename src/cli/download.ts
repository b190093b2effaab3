import { createHash } from "node:crypto";
import { closeSync, fsyncSync, lstatSync, openSync, rmSync, writeSync } from "node:fs";
import { moveDurably } from "../lib/durable.ts";
import type { Api } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";

export interface Downloaded {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Writes what a response carries under another name, which it gives up for its own when everything is there and is what the server
 * says that it is: a connection that breaks leaves what was there before.
 */
export async function download(api: Api, response: Response, out: string, wanted: string | null): Promise<Downloaded> {
  const place = isOther(out) ? out : `${out}.part`;
  try {
    const written = await write(api, response, place, place !== out);
    if (wanted !== null && written.sha256 !== wanted) {
      const words = `What came has the SHA-256 ${written.sha256}, and the server speaks of ${wanted}.`;
      throw new CliError(EXIT.network, "DAMAGED", words, { hint: "Try again." });
    }
    if (place !== out) moveDurably(place, out);
    return written;
  } catch (thrown) {
    if (place !== out) rmSync(place, { force: true });
    throw isOfDisk(thrown) ? usageError(`${out} cannot be written: ${thrown.message}`) : thrown;
  }
}

async function write(api: Api, response: Response, place: string, isFile: boolean): Promise<Downloaded> {
  const handle = openSync(place, "w");
  const hash = createHash("sha256");
  let bytes = 0;
  try {
    const chunks = (response.body ?? new Blob().stream()).getReader();
    for (;;) {
      const { done, value } = await chunks.read().catch((thrown) => {
        throw api.failureOf(thrown);
      });
      if (done) {
        if (isFile) fsyncSync(handle);
        return { bytes, sha256: hash.digest("hex") };
      }
      hash.update(value);
      for (let at = 0; at < value.length; ) at += writeSync(handle, value, at);
      bytes += value.length;
    }
  } finally {
    closeSync(handle);
  }
}

/** Written to stdout as it comes: it may be larger than memory. */
export async function print(api: Api, { body }: Response): Promise<void> {
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      if (!process.stdout.write(chunk)) await new Promise<void>((resolve) => process.stdout.once("drain", resolve));
    }
  } catch (thrown) {
    throw api.failureOf(thrown);
  }
}

/** A pipe or a device has no name to give up, nor has a link, such as /dev/stdout: it leads where it led. */
const isOther = (out: string): boolean => lstatSync(out, { throwIfNoEntry: false })?.isFile() === false;

const isOfDisk = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && "syscall" in thrown && "errno" in thrown;
