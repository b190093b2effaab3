const HEAD_END = Buffer.from("\r\n\r\n");

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** Takes HTTP/1.1 answers apart as they arrive on one connection: with a length, or in chunks. Only what a benchmark needs. */
export class AnswerReader {
  private pending: Buffer = Buffer.alloc(0);
  private status = 0;
  private inBody = false;
  private chunked = false;
  private left = 0;
  private parts: Buffer[] = [];

  /** The answer that is whole with these bytes, or null. `onBody` is told when the first byte of a body is there. */
  push(bytes: Buffer, onBody: () => void): Answer | null {
    this.pending = this.pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.pending, bytes]);
    if (!this.inBody && !this.readHead()) return null;
    if (this.pending.length > 0) onBody();
    return this.chunked ? this.readChunks() : this.readPlain();
  }

  private readHead(): boolean {
    const end = this.pending.indexOf(HEAD_END);
    if (end < 0) return false;
    const head = this.pending.toString("latin1", 0, end).toLowerCase();
    this.status = Number(head.slice(9, 12));
    this.chunked = head.includes("transfer-encoding: chunked");
    this.left = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
    this.pending = this.pending.subarray(end + 4);
    this.inBody = true;
    this.parts = [];
    return true;
  }

  private readPlain(): Answer | null {
    if (this.pending.length < this.left) return null;
    const body = this.pending.subarray(0, this.left);
    this.pending = this.pending.subarray(this.left);
    return this.done(body);
  }

  private readChunks(): Answer | null {
    for (;;) {
      const line = this.pending.indexOf("\r\n");
      if (line < 0) return null;
      const size = Number.parseInt(this.pending.toString("latin1", 0, line), 16);
      const end = line + 2 + size + 2;
      if (this.pending.length < end) return null;
      if (size > 0) this.parts.push(this.pending.subarray(line + 2, line + 2 + size));
      this.pending = this.pending.subarray(end);
      if (size === 0)
        return this.done(this.parts.length === 1 ? (this.parts[0] ?? Buffer.alloc(0)) : Buffer.concat(this.parts));
    }
  }

  private done(body: Buffer): Answer {
    this.inBody = false;
    return { status: this.status, body };
  }
}
