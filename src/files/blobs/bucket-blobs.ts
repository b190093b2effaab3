import { S3Client } from "bun";
import type { BlobStore } from "./blob-store.ts";

export interface BucketSettings {
  readonly bucket: string;
  readonly endpoint: string | null;
  readonly region: string | null;
  readonly accessKeyId: string | null;
  readonly secretAccessKey: string | null;
  /** Before every name. */
  readonly prefix: string;
}

/** A part of an upload is held in memory while it is sent. */
const PART_BYTES = 8 * 1024 * 1024;

/** Objects of a bucket that speaks S3. */
export function bucketBlobs({
  bucket,
  endpoint,
  region,
  accessKeyId,
  secretAccessKey,
  prefix,
}: BucketSettings): BlobStore {
  const client = new S3Client({
    bucket,
    ...(endpoint === null ? {} : { endpoint }),
    ...(region === null ? {} : { region }),
    ...(accessKeyId === null ? {} : { accessKeyId }),
    ...(secretAccessKey === null ? {} : { secretAccessKey }),
  });
  const keyOf = (name: string): string => prefix + name;
  return {
    async put(name, bytes) {
      const writer = client.file(keyOf(name)).writer({ partSize: PART_BYTES, queueSize: 2, retry: 2 });
      for await (const chunk of bytes) {
        writer.write(chunk);
        await writer.flush();
      }
      await writer.end();
    },
    async read(name) {
      const object = client.file(keyOf(name));
      return (await object.exists()) ? (object.stream() as ReadableStream<Uint8Array>) : null;
    },
    remove: (name) => client.delete(keyOf(name)),
    async *list(beforeMs) {
      for (let startAfter: string | undefined; ; ) {
        const page = await client.list({ prefix, ...(startAfter === undefined ? {} : { startAfter }) });
        for (const { key, lastModified } of page.contents ?? []) {
          if (Date.parse(lastModified ?? "") < beforeMs) yield key.slice(prefix.length);
        }
        startAfter = page.contents?.at(-1)?.key;
        if (!page.isTruncated || startAfter === undefined) return;
      }
    },
  };
}
