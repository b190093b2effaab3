// What `npm test` shows of `bun test`: failures where they happen, and whatever is printed besides the results. Tens of thousands
// of lines that say `(pass)` would hide the one that does not; `--verbose` shows them.

const result = /^\((pass|skip|todo|fail)\) /;
/** The end of a result. A name with line breaks goes on over several lines before it. */
const duration = / \[[\d.]+m?s\]$/;
/** Bun's summary starts here and belongs to no file. */
const summary = /^\s*\d+ (pass$|tests? )/;

/** Reads the output of one run in chunks, and passes on the lines to show. */
export class TestOutput {
  counts = { pass: 0, skip: 0, todo: 0, fail: 0 };
  /** Files that have printed something. */
  started = new Set();
  #headings;
  #show;
  #verbose;
  #rest = "";
  #blank = 0;
  #heading = null;
  #inName = false;

  constructor({ files, show, verbose = false }) {
    this.#headings = new Map(files.map((file) => [`${file}:`, file]));
    this.#show = show;
    this.#verbose = verbose;
  }

  push(chunk) {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#read(line);
  }

  /** A run that was interrupted may have left a line without its end. */
  end() {
    if (this.#rest !== "") this.#read(this.#rest);
    this.#rest = "";
  }

  /** Shows a file's name above its first shown line, and blank lines only between shown lines. */
  #read(line) {
    const kind = result.exec(line)?.[1];
    if (kind !== undefined) this.counts[kind]++;
    const file = this.#headings.get(line);
    if (file !== undefined) this.started.add(file);
    if (this.#verbose) {
      this.#show(line);
      return;
    }
    const wasInName = this.#inName;
    this.#inName = (wasInName || kind === "pass") && !duration.test(line);
    if (wasInName || (kind !== undefined && kind !== "fail")) return;
    if (line.trim() === "") {
      this.#blank++;
      return;
    }
    if (file !== undefined) {
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

/** A line for each file with its counts, from the report. */
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
