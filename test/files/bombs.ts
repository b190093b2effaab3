import { deflateRawSync, deflateSync } from "node:zlib";

/** Spaces, which a few bytes unpack to. */
const spaces = (bytes: number): Buffer => Buffer.alloc(bytes, " ");

/** A PDF whose one page has a drawing of this size. */
export function pdfBomb(bytes: number): Uint8Array<ArrayBuffer> {
  const stream = deflateSync(spaces(bytes));
  const head = `%PDF-1.4
1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj
2 0 obj << /Type /Pages /Kids [3 0 R] /Count 1 >> endobj
3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << >> >> endobj
4 0 obj << /Length ${stream.length} /Filter /FlateDecode >>
stream
`;
  const tail = "\nendstream endobj\ntrailer << /Root 1 0 R /Size 5 >>\nstartxref\n0\n%%EOF";
  return new Uint8Array(Buffer.concat([Buffer.from(head), stream, Buffer.from(tail)]));
}

/** A document whose text unpacks to this size. */
export function docxBomb(bytes: number): Uint8Array<ArrayBuffer> {
  const text = spaces(bytes);
  const packed = deflateRawSync(text);
  const path = Buffer.from("word/document.xml");
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(Bun.hash.crc32(text), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(text.length, 18);
  common.writeUInt16LE(path.length, 22);
  const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), common, path, packed]);
  const listed = Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000"), common, Buffer.alloc(14), path]);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(local.length, 16);
  return new Uint8Array(Buffer.concat([local, listed, end]));
}
