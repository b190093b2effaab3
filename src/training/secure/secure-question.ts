import { randomUUID } from "node:crypto";
import type { Question, StreamedQuestion } from "../coordinator/question.ts";

type Fields = Readonly<Record<string, unknown>>;

const PIECE = 256 * 1024;

export const plainQuestion = (fields: Fields): Question => ({
  type: "application/json",
  body: new Blob([JSON.stringify(fields)]),
});

/** Everybody gets the same model with fields of its own: the model lies in memory once, and leaves piece by piece. */
export function questionWithModel(fields: Fields, model: Uint8Array): StreamedQuestion {
  const boundary = `turnpike-${randomUUID()}`;
  const part = (name: string) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n`;
  function* pieces(): Generator<Uint8Array> {
    yield Buffer.from(`${part("meta")}${JSON.stringify(fields)}\r\n${part("parameters")}`);
    for (let at = 0; at < model.length; at += PIECE) yield model.subarray(at, at + PIECE);
    yield Buffer.from(`\r\n--${boundary}--\r\n`);
  }
  const left = pieces();
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = left.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void left.return(undefined),
    },
    { highWaterMark: 1 },
  );
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}
