const HEAD_END = Buffer.from("\r\n\r\n");

export interface HttpResponse {
  readonly status: number;
  readonly body: Buffer;
}

/** Parses the HTTP/1.1 responses of one connection, with a length or in chunks, as far as a benchmark needs it. */
export class ResponseReader {
  private pending: Buffer = Buffer.alloc(0);
  private status = 0;
  private inBody = false;
  private chunked = false;
  private left = 0;
  private parts: Buffer[] = [];

  /** Returns the response that these bytes complete, or null. Calls `onBody` when a body has its first byte. */
  push(bytes: Buffer, onBody: () => void): HttpResponse | null {
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

  private readPlain(): HttpResponse | null {
    if (this.pending.length < this.left) return null;
    const body = this.pending.subarray(0, this.left);
    this.pending = this.pending.subarray(this.left);
    return this.done(body);
  }

  private readChunks(): HttpResponse | null {
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

  private done(body: Buffer): HttpResponse {
    this.inBody = false;
    return { status: this.status, body };
  }
}
