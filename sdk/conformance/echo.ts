import { readFileSync } from "node:fs";

const PIECE = 768 * 1024;

/** Sends so many bytes of parameters to /train, which sends them back, and gives how long the answer was. */
export async function echo(url: string, form: "json" | "binary", bytes: number): Promise<number> {
  const json = form === "json";
  const type = json ? "application/json" : "application/octet-stream";
  const piece = json ? Buffer.alloc((PIECE / 3) * 4, "QUJD") : Buffer.alloc(PIECE, 7);
  const last = bytes % PIECE;
  const [head, tail] = json ? [Buffer.from('{"parameters":"'), Buffer.from('"}')] : [null, null];
  async function* pieces() {
    if (head) yield head;
    for (let at = 0; at + PIECE <= bytes; at += PIECE) yield piece;
    if (last > 0) yield json ? Buffer.from(Buffer.alloc(last, "ABC").toString("base64")) : piece.subarray(0, last);
    if (tail) yield tail;
  }
  const response = await fetch(`${url}/train`, {
    method: "POST",
    headers: { "content-type": type, accept: type },
    body: pieces() as unknown as ReadableStream,
  });
  if (response.status !== 200) throw new Error(`the participant answered ${response.status}`);
  let received = 0;
  for await (const part of response.body as ReadableStream<Uint8Array>) received += part.length;
  return received;
}

/** What a process has in memory, or had at most. */
export function memoryOf(pid: number, line: "VmRSS" | "VmHWM"): number {
  const found = new RegExp(`^${line}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1] ?? Number.NaN) * 1024;
}
