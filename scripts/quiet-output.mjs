// What `npm test` shows of `bun test` unless it is told --verbose: failures where they happen, and whatever else is not a test
// that passed. Sixteen thousand lines that say `(pass)` hide the one that does not.

const result = /^\((pass|skip|todo|fail)\) /;
/** Where Bun begins to sum up: this is of no file. */
const summary = /^\s*\d+ (pass$|tests? )/;

/** Takes the output of one run in pieces and gives on what is to be seen, a line at a time. */
export class QuietOutput {
  counts = { pass: 0, skip: 0, todo: 0, fail: 0 };
  #headings;
  #show;
  #rest = "";
  #blank = 0;
  #heading = null;

  constructor({ files, show }) {
    this.#headings = new Set(files.map((file) => `${file}:`));
    this.#show = show;
  }

  push(chunk) {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#read(line);
  }

  /** A run that was cut short may have left a line without its end. */
  end() {
    if (this.#rest !== "") this.#read(this.#rest);
    this.#rest = "";
  }

  /** A file's name stands above what is shown of it; blank lines only between what is shown. */
  #read(line) {
    const kind = result.exec(line)?.[1];
    if (kind !== undefined) this.counts[kind]++;
    if (kind !== undefined && kind !== "fail") return;
    if (line.trim() === "") {
      this.#blank++;
      return;
    }
    if (this.#headings.has(line)) {
      this.#heading = line;
      this.#blank = 0;
      return;
    }
    if (summary.test(line)) {
      this.#heading = null;
      this.#blank = 1;
    }
    if (this.#heading !== null) this.#show(`\n${this.#heading}`);
    else if (this.#blank > 0) this.#show("");
    this.#heading = null;
    this.#blank = 0;
    this.#show(line);
  }
}

/** A line for each file, of what the report says of it. */
export function fileLines(byFile) {
  return byFile.map(({ file, passed, failed, skipped }) => {
    const mark = failed > 0 ? "FAIL" : passed + skipped === 0 ? "none" : "ok  ";
    const counts = [
      `${passed} passed`,
      ...(failed > 0 ? [`${failed} failed`] : []),
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ];
    return `${mark}  ${file}  ${passed + failed + skipped === 0 ? "no tests" : counts.join(", ")}`;
  });
}
