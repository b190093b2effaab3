import type { TranscriptionForm } from "../dialect.ts";

interface Multipart {
  readonly contentType: string;
  readonly body: ReadableStream<Uint8Array>;
}

const FILE_FIELD = "file";
const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/;

/**
 * A multipart form whose file is passed on piece by piece as the upstream takes it: it is never held as a whole.
 * The boundary must not be guessable, or a file could end its own part and add fields of the caller's choosing.
 */
export function streamMultipart(
  form: TranscriptionForm,
  boundary: string = `turnpike-${crypto.randomUUID()}`,
): Multipart {
  const encoder = new TextEncoder();
  const head = encoder.encode(fieldParts(form.fields, boundary) + fileHead(form.file, boundary));
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`);
  const file = form.file.read().getReader();
  let hasBegun = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!hasBegun) {
          hasBegun = true;
          controller.enqueue(head);
          return;
        }
        const { done, value } = await file.read();
        if (!done) {
          controller.enqueue(value);
          return;
        }
        controller.enqueue(tail);
        controller.close();
      },
      cancel: (reason) => file.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

const fieldParts = (fields: TranscriptionForm["fields"], boundary: string): string =>
  fields
    .map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`,
    )
    .join("");

function fileHead(file: TranscriptionForm["file"], boundary: string): string {
  const type = MEDIA_TYPE.test(file.type) ? file.type : "application/octet-stream";
  const disposition = `form-data; name="${FILE_FIELD}"; filename="${escapeName(file.name)}"`;
  return `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n`;
}

/** As browsers write names: a quote or a line break would end the header. */
const escapeName = (name: string): string =>
  name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
