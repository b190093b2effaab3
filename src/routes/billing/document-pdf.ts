import { helveticaWidth } from "../../lib/helvetica.ts";
import { PAGE_HEIGHT, PAGE_WIDTH, pdfText, writePdf } from "../../lib/pdf-file.ts";
import { type Lettering, toLetters } from "../../lib/pdf-letters.ts";
import { isFigure, type PaperDocument, type PaperTable } from "./paper-document.ts";

const MARGIN = 50;
const WIDTH = PAGE_WIDTH - 2 * MARGIN;
const TOP = PAGE_HEIGHT - MARGIN;
/** Below it stands only the number of the page. */
const BOTTOM = MARGIN + 20;
const LEADING = 1.35;
const FACT_INDENT = 110;
const GAP = 10;
const CELL_PADDING = 3;

interface Style {
  readonly size: number;
  readonly isBold?: boolean;
}

const PLAIN: Style = { size: 9 };
const SMALL: Style = { size: 7.5 };
const CELL: Style = { size: 8 };
const HEAD: Style = { size: 8, isBold: true };

const LEGEND =
  "Underlined: the fonts of this file lack the character. In its place stand the nearest letters, or its Unicode number in " +
  "brackets. The same document as a page, as CSV and as JSON has every character.";

export function toPdf(document: PaperDocument): Uint8Array<ArrayBuffer> {
  const paper = new Paper();
  document.seller.forEach((line, at) => {
    paper.paragraph(line, at === 0 ? { size: 9, isBold: true } : PLAIN);
  });
  if (document.seller.length > 0) paper.skip(14);
  paper.paragraph(document.title, { size: 16, isBold: true });
  paper.skip(6);
  for (const fact of document.facts) paper.fact(fact);
  for (const table of document.tables) paper.table(table);
  if (paper.hasMarks) {
    paper.skip(10);
    paper.paragraph(LEGEND, SMALL);
  }
  return writePdf({ title: document.title, dateMs: document.dateMs }, paper.finish(document.fileName));
}

/** Pages that are filled from the top; what does not fit any more goes on the next one. */
class Paper {
  readonly #pages: string[][] = [[]];
  #y = TOP;
  /** What a page begins with, while a table goes on. */
  #head: () => void = () => undefined;
  hasMarks = false;

  skip(height: number): void {
    this.#y -= height;
  }

  paragraph(text: string, style: Style): void {
    for (const line of wrap(toLetters(text), WIDTH, style)) this.#row([{ line, x: MARGIN }], style);
  }

  fact([name, value]: readonly [string, string]): void {
    wrap(toLetters(value), WIDTH - FACT_INDENT, PLAIN).forEach((line, at) => {
      const cells = [{ line, x: MARGIN + FACT_INDENT }];
      this.#row(at === 0 ? [{ line: toLetters(name), x: MARGIN }, ...cells] : cells, PLAIN);
    });
  }

  table(table: PaperTable): void {
    const places = placesOf(table);
    const { title, columns, rows, total } = table;
    this.skip(16);
    // A heading at the foot of a page, with its table on the next, helps nobody.
    if (this.#y - BOTTOM < 70) this.#turn();
    this.paragraph(title, { size: 11, isBold: true });
    this.skip(4);
    const drawHead = (): void => {
      this.#cells(
        columns.map(({ name }) => name),
        places,
        HEAD,
      );
      this.#rule(0.8);
    };
    drawHead();
    this.#head = drawHead;
    for (const row of rows) this.#cells(row, places, CELL);
    if (rows.length === 0) this.paragraph("Nothing in this time.", CELL);
    if (total) {
      if (this.#y - BOTTOM < 20) this.#turn();
      this.#rule(0.4);
      this.#cells(total, places, HEAD);
    }
    this.#head = () => undefined;
  }

  finish(name: string): string[] {
    const count = this.#pages.length;
    return this.#pages.map((drawn, at) => {
      const number = toLetters(`Page ${at + 1} of ${count}`);
      const right = PAGE_WIDTH - MARGIN - helveticaWidth(number.text, SMALL.size);
      const foot = [draw(toLetters(name), MARGIN, MARGIN, SMALL), draw(number, right, MARGIN, SMALL)];
      return [...drawn, ...foot].join("\n");
    });
  }

  /** A row of a table stays together, unless no page is high enough for it. */
  #cells(values: readonly (string | number)[], places: readonly Place[], style: Style): void {
    const cells = places.map((place, at) => wrap(toLetters(place.show(values[at] ?? "")), place.width, style));
    const lines = Math.max(...cells.map(({ length }) => length));
    const height = lines * style.size * LEADING + CELL_PADDING;
    if (this.#y - height < BOTTOM && height < (TOP - BOTTOM) / 2) this.#turn();
    for (let at = 0; at < lines; at++) {
      const row = places.flatMap((place, column) => {
        const line = cells[column]?.[at];
        if (!line?.text) return [];
        const blank = place.isFigure ? place.width - helveticaWidth(line.text, style.size, style.isBold) : 0;
        return [{ line, x: place.x + blank }];
      });
      this.#row(row, style);
    }
    this.skip(CELL_PADDING);
  }

  #row(cells: readonly { readonly line: Lettering; readonly x: number }[], style: Style): void {
    if (this.#y - style.size * LEADING < BOTTOM) this.#turn();
    this.#y -= style.size * LEADING;
    for (const { line, x } of cells) {
      this.hasMarks ||= line.isMarked.includes(true);
      this.#pages.at(-1)?.push(draw(line, x, this.#y, style));
    }
  }

  #rule(thickness: number): void {
    this.#pages.at(-1)?.push(`${MARGIN} ${fixed(this.#y)} ${WIDTH} ${thickness} re f`);
  }

  #turn(): void {
    this.#pages.push([]);
    this.#y = TOP;
    this.#head();
  }
}

interface Place {
  readonly x: number;
  readonly width: number;
  readonly isFigure: boolean;
  readonly show: (value: string | number) => string;
}

/** Columns that are not wrapped are as wide as what is in them; the others share what is left. */
function placesOf({ columns, rows, total }: PaperTable): readonly Place[] {
  const all = total ? [...rows, total] : rows;
  const shown = columns.map(({ kind }, at) =>
    kind === "money" ? sameDecimals(all.map((row) => row[at] ?? "")) : String,
  );
  const widths = columns.map(({ name, kind }, at) => {
    if (kind === "words") return null;
    const texts = [name, ...all.map((row) => shown[at]?.(row[at] ?? "") ?? "")];
    return texts.reduce((most, text) => Math.max(most, helveticaWidth(toLetters(text).text, HEAD.size, true)), 0) + 1;
  });
  const taken = widths.reduce<number>((sum, width) => sum + (width ?? 0), GAP * (columns.length - 1));
  const share = (WIDTH - taken) / widths.filter((width) => width === null).length;
  let x = MARGIN;
  return columns.map(({ kind }, at) => {
    const width = widths[at] ?? share;
    const place = { x, width, isFigure: isFigure(kind), show: shown[at] ?? String };
    x += width + GAP;
    return place;
  });
}

/** The points of amounts stand below each other: as many decimals as the finest of them needs, and two at least. */
function sameDecimals(values: readonly (string | number)[]): (value: string | number) => string {
  const decimals = (value: string | number): string => String(value).split(".")[1] ?? "";
  const count = values.reduce<number>((most, value) => Math.max(most, decimals(value).length), 2);
  return (value) =>
    /^-?\d/.test(String(value))
      ? `${String(value).split(".")[0]}.${decimals(value).padEnd(count, "0")}`
      : String(value);
}

/** Lines that are no wider than they may be: broken at blanks, and within a word that is wider than a line. */
function wrap({ text, isMarked }: Lettering, width: number, { size, isBold }: Style): Lettering[] {
  const lines: Lettering[] = [];
  let start = 0;
  do {
    let end = start;
    let blank = -1;
    for (let wide = 0; end < text.length; end++) {
      wide += helveticaWidth(text.charAt(end), size, isBold);
      if (wide > width && end > start) break;
      if (text.charAt(end) === " ") blank = end;
    }
    if (end < text.length && blank > start) end = blank;
    lines.push({ text: text.slice(start, end), isMarked: isMarked.slice(start, end) });
    start = text.charAt(end) === " " ? end + 1 : end;
  } while (start < text.length);
  return lines;
}

function draw({ text, isMarked }: Lettering, x: number, y: number, { size, isBold = false }: Style): string {
  const parts = [`BT /${isBold ? "F2" : "F1"} ${size} Tf ${fixed(x)} ${fixed(y)} Td ${pdfText(text)} Tj ET`];
  for (let at = isMarked.indexOf(true); at >= 0; ) {
    const next = isMarked.indexOf(false, at);
    const end = next < 0 ? text.length : next;
    const left = x + helveticaWidth(text.slice(0, at), size, isBold);
    parts.push(`${fixed(left)} ${fixed(y - 1.6)} ${fixed(helveticaWidth(text.slice(at, end), size, isBold))} 0.5 re f`);
    at = isMarked.indexOf(true, end);
  }
  return parts.join("\n");
}

const fixed = (points: number): string => String(Math.round(points * 100) / 100);
