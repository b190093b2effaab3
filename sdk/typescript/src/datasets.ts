import { Failure, invalid } from "./failure.ts";
import type { Dataset } from "./functions.ts";

type Source = Dataset | (() => Dataset | Promise<Dataset>);

const DEFAULT = "default";

/** The data sets that lie at the participant itself. What comes over the wire names them; it never opens anything. */
export class Datasets {
  private readonly sources = new Map<string, Source>();

  constructor(private readonly rowsMax: number) {}

  register(name: string, source: Source): void {
    this.sources.set(name, source);
  }

  get names(): string[] {
    return [...this.sources.keys()];
  }

  /** How many examples lie here, where that is known without loading anything. */
  get numExamples(): number | null {
    const name = this.defaultName();
    const source = name === null ? null : this.sources.get(name);
    return Array.isArray(source) ? source.length : null;
  }

  /** What the function gets: rows as they came, or the data set that is meant. */
  resolve(present: boolean, value: unknown): Dataset | Promise<Dataset> {
    if (!present) return this.load(this.nameOfDefault());
    const name = this.nameIn(value);
    if (name !== null) return this.load(name);
    if (Array.isArray(value) && value.length > this.rowsMax) {
      throw new Failure(413, "too_large", `dataset has more than ${this.rowsMax} rows`);
    }
    return value;
  }

  private nameIn(value: unknown): string | null {
    // Where data sets are registered a string is a name; elsewhere it is only a value.
    if (typeof value === "string") return this.sources.size > 0 ? value : null;
    if (typeof value !== "object" || value === null || !("$ref" in value)) return null;
    const found = typeof value.$ref === "string" ? /^local:(.+)$/s.exec(value.$ref) : null;
    if (found === null) {
      throw invalid(
        "unsupported_dataset",
        "only data sets of the participant itself can be named: local:<name>",
        "dataset",
      );
    }
    return found[1] ?? "";
  }

  private load(name: string): Dataset {
    if (!this.sources.has(name)) {
      throw new Failure(404, "unknown_dataset", "the participant has no data set of that name", { path: "dataset" });
    }
    const source = this.sources.get(name);
    return typeof source === "function" ? source() : source;
  }

  private nameOfDefault(): string {
    const name = this.defaultName();
    if (name !== null) return name;
    throw invalid("missing_field", "dataset is missing", "dataset");
  }

  private defaultName(): string | null {
    if (this.sources.has(DEFAULT)) return DEFAULT;
    return this.sources.size === 1 ? (this.names[0] ?? null) : null;
  }
}
