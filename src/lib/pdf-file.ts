import { createHash } from "node:crypto";

/** A4, in points of a 72nd of an inch. */
export const PAGE_WIDTH = 595;
export const PAGE_HEIGHT = 842;

export interface PdfFacts {
  readonly title: string;
  /** When what it tells was so. Nothing in the file says when it was made: the same facts are the same bytes. */
  readonly dateMs: number;
}

const CATALOG = 1;
const PAGES = 2;
const FIRST_PAGE = 6;

/**
 * A PDF of pages that are given as what is drawn on them. Nothing is packed, so that bytes do not depend on who packs, and
 * all of it is ASCII.
 */
export function writePdf({ title, dateMs }: PdfFacts, pages: readonly string[]): Uint8Array<ArrayBuffer> {
  const kids = pages.map((_, at) => `${FIRST_PAGE + 2 * at} 0 R`);
  const objects = [
    `<< /Type /Catalog /Pages ${PAGES} 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>`,
    `<< /Type /Pages /Count ${pages.length} /Kids [${kids.join(" ")}] /MediaBox [0 0 ${PAGE_WIDTH} ${PAGE_HEIGHT}] ` +
      "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>",
    font("Helvetica"),
    font("Helvetica-Bold"),
    `<< /Title ${unicode(title)} /Producer (Turnpike) /CreationDate (${pdfDate(dateMs)}) >>`,
    ...pages.flatMap((drawn, at) => [
      `<< /Type /Page /Parent ${PAGES} 0 R /Contents ${FIRST_PAGE + 2 * at + 1} 0 R >>`,
      `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
    ]),
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, at) => {
    const place = file.length;
    file += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, "0")} 00000 n \n`;
  });
  const id = createHash("sha256").update(file).digest("hex").slice(0, 32);
  const size = objects.length + 1;
  return new TextEncoder().encode(
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${places.join("")}` +
      `trailer\n<< /Size ${size} /Root ${CATALOG} 0 R /Info 5 0 R /ID [<${id}> <${id}>] >>\nstartxref\n${file.length}\n%%EOF\n`,
  );
}

const font = (name: string): string =>
  `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;

/** Codes of WinAnsi as they stand in a drawing: whatever could end the text, or begin something else, is a number. */
export const pdfText = (codes: string): string =>
  `(${codes.replace(/[^ -'*-[\]-~]/g, (one) => `\\${one.charCodeAt(0).toString(8).padStart(3, "0")}`)})`;

/** Any text at all, for what is told about the file rather than drawn. */
const unicode = (text: string): string =>
  `<FEFF${Buffer.from(text, "utf16le").swap16().toString("hex").toUpperCase()}>`;

const pdfDate = (ms: number): string => `D:${new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14)}Z`;
