/** The first bytes of a stream, as many as there are up to a number; the rest is not read. */
export async function peek(stream: ReadableStream<Uint8Array>, bytes: number): Promise<Buffer> {
  let head = Buffer.alloc(0);
  for await (const chunk of stream) {
    head = Buffer.concat([head, chunk.subarray(0, bytes - head.length)]);
    if (head.length >= bytes) break;
  }
  return head;
}
