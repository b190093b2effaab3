/** Where a value stands. `variable` is set for a value that came from the environment. */
export interface Place {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly variable?: string;
}

/** One thing that is wrong, or worth a word. Holds names and positions, never a value that may be secret. */
export interface Fault extends Omit<Place, "variable"> {
  /** Such as `model_list[0].litellm_params.model`, or the name of an environment variable. */
  readonly path: string;
  readonly message: string;
  /** Of a warning: somebody counts on being protected by what has no effect here. */
  readonly protects?: true;
}

const ENVIRONMENT = "environment";

export function variablePlace(variable: string): Place {
  return { file: ENVIRONMENT, line: null, column: null, variable };
}

/** Collects, so that one run reports everything. The same fault at the same place (an alias) counts once. */
export class Report {
  readonly #faults: Fault[] = [];
  readonly #warnings: Fault[] = [];
  readonly #seen = new Set<string>();
  readonly #brokenFrom = new Map<string, number>();

  get failed(): boolean {
    return this.#faults.length > 0;
  }

  fault(at: Place, path: string, message: string): void {
    if (!this.#isUnreliable(at)) this.#add(this.#faults, at, path, message);
  }

  warn(at: Place, path: string, message: string): void {
    if (!this.#isUnreliable(at)) this.#add(this.#warnings, at, path, message);
  }

  /** For a value that something else stands in for: what is wrong with it is worth a word, and hinders nothing. */
  overruledBy(name: string): Report {
    const overruled = new Report();
    overruled.warn = () => undefined;
    overruled.fault = (at, path, message) => this.warn(at, path, `${message}; \`${name}\` is set and counts instead`);
    return overruled;
  }

  /** Warns about `name` the first time only, however often it occurs. */
  warnOnce(name: string, at: Place, path: string, message: string, protects = false): void {
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    if (!this.#isUnreliable(at)) this.#add(this.#warnings, at, path, message, protects);
  }

  /** A syntax error: what follows it may have been read wrongly, so only its syntax is reported. */
  syntaxFault(at: Place, message: string, restIsReadable: boolean): void {
    this.#add(this.#faults, at, "", message);
    if (restIsReadable || at.line === null) return;
    this.#brokenFrom.set(at.file, Math.min(at.line, this.#brokenFrom.get(at.file) ?? at.line));
  }

  /** By file in the order given, then by position; the environment comes last. What is about protection comes before all others. */
  sorted(files: readonly string[]): { readonly faults: readonly Fault[]; readonly warnings: readonly Fault[] } {
    const rank = new Map(files.map((file, index) => [file, index]));
    const fileRank = (fault: Fault) => rank.get(fault.file) ?? files.length;
    const order = (a: Fault, b: Fault) =>
      Number(b.protects ?? false) - Number(a.protects ?? false) ||
      fileRank(a) - fileRank(b) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0);
    return { faults: this.#faults.toSorted(order), warnings: this.#warnings.toSorted(order) };
  }

  /** Whether nothing is wrong with what stands there, so that more can be said of it. */
  isSound(at: Place, path: string): boolean {
    const isOf = (fault: Fault) => fault.path === path || fault.path.startsWith(`${path}.`);
    return !this.#isUnreliable(at) && !this.#faults.some(isOf);
  }

  #isUnreliable(at: Place): boolean {
    const broken = this.#brokenFrom.get(at.file);
    return broken !== undefined && at.line !== null && at.line >= broken;
  }

  #add(list: Fault[], at: Place, path: string, message: string, protects = false): void {
    const identity = JSON.stringify([at.file, at.line, at.column, at.variable, message]);
    if (this.#seen.has(identity)) return;
    this.#seen.add(identity);
    const { file, line, column, variable } = at;
    list.push({ file, line, column, path: variable ?? path, message, ...(protects ? { protects } : {}) });
  }
}
