import type { FormField, SentFile, SentForm } from "../dialect.ts";

interface Multipart {
  readonly contentType: string;
  readonly body: ReadableStream<Uint8Array>;
}

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/;

/**
 * A multipart form whose files are passed on piece by piece as the upstream takes them: none is ever held as a whole.
 * The boundary must not be guessable, or a file could end its own part and add fields of the caller's choosing.
 */
export function streamMultipart(form: SentForm, boundary: string = `turnpike-${crypto.randomUUID()}`): Multipart {
  const parts = partsOf(form, boundary);
  let file: ReturnType<typeof open> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const read = await file?.read();
        if (read && !read.done) return controller.enqueue(read.value);
        const part = parts.shift();
        if (!part) return controller.close();
        file = part.file && open(part.file);
        controller.enqueue(part.head);
      },
      cancel: (reason) => file?.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

const open = (file: SentFile) => file.read().getReader();

/** What stands before each file, and behind the last one. */
function partsOf({ fields, files }: SentForm, boundary: string): { head: Uint8Array; file?: SentFile }[] {
  const encoder = new TextEncoder();
  const before = (index: number) => (index === 0 ? fieldParts(fields, boundary) : "\r\n");
  const parts = files.map((file, index) => ({ head: encoder.encode(before(index) + fileHead(file, boundary)), file }));
  return [...parts, { head: encoder.encode(`${before(files.length)}--${boundary}--\r\n`) }];
}

const fieldParts = (fields: readonly FormField[], boundary: string): string =>
  fields
    .map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`,
    )
    .join("");

function fileHead(file: SentFile, boundary: string): string {
  const type = MEDIA_TYPE.test(file.type) ? file.type : "application/octet-stream";
  const disposition = `form-data; name="${escapeName(file.field)}"; filename="${escapeName(file.name)}"`;
  return `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n`;
}

/** As browsers write names: a quote or a line break would end the header. */
const escapeName = (name: string): string =>
  name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
