const NAME_CHARS_MAX = 180;

/** Bedrock takes few characters in a document's name, and no name twice in one request. */
export class DocumentNames {
  private readonly taken = new Set<string>();

  unique(filename: string): string {
    const clean = filename
      .replace(/\.[a-z0-9]{1,5}$/i, "")
      .replace(/[^A-Za-z0-9\s\-()[\]]/g, " ")
      .replace(/\s+/g, " ")
      .trim()
      .slice(0, NAME_CHARS_MAX)
      .trim();
    const base = clean === "" ? "document" : clean;
    let name = base;
    for (let copy = 2; this.taken.has(name); copy++) name = `${base} (${copy})`;
    this.taken.add(name);
    return name;
  }
}
