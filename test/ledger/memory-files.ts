import type { JournalFile, JournalFiles } from "../../src/ledger/journal/files.ts";

/** A disk of so many bytes, which may also write less than it is asked to, or nothing at all. */
export class MemoryFiles implements JournalFiles {
  readonly contents = new Map<string, Uint8Array>();
  readonly folders = new Set<string>();
  capacity = Number.POSITIVE_INFINITY;
  /** The most that one write takes. */
  writeMax = Number.POSITIVE_INFINITY;
  syncs = 0;
  /** A disk so broken that it cannot even cut off. */
  mayTruncate = true;

  create(path: string): JournalFile {
    if (this.contents.has(path)) throw Object.assign(new Error("it exists"), { code: "EEXIST" });
    if (this.used() >= this.capacity) throw full();
    this.contents.set(path, new Uint8Array());
    let closed = false;
    return {
      write: (bytes, at) => this.write(path, bytes, at),
      truncate: (length) => {
        if (!this.mayTruncate) throw new Error("not now");
        this.contents.set(path, this.read(path).slice(0, length));
      },
      sync: async () => {
        this.syncs++;
      },
      close: () => {
        if (closed) throw new Error(`${path} is closed twice`);
        closed = true;
      },
    };
  }

  makeFolder(path: string): void {
    this.folders.add(path);
  }

  list(folder: string): readonly string[] {
    const inside = [...this.contents.keys(), ...this.folders].filter((path) => path.startsWith(`${folder}/`));
    return [...new Set(inside.map((path) => path.slice(folder.length + 1).split("/")[0] ?? ""))].sort();
  }

  listFolders(folder: string): readonly string[] {
    return this.list(folder).filter((name) => !this.contents.has(`${folder}/${name}`));
  }

  read(path: string): Uint8Array {
    const bytes = this.contents.get(path);
    if (bytes === undefined) throw Object.assign(new Error(`no ${path}`), { code: "ENOENT" });
    return bytes;
  }

  rename(from: string, to: string): void {
    this.contents.set(to, this.read(from));
    this.contents.delete(from);
  }

  remove(path: string): void {
    this.contents.delete(path);
  }

  removeFolder(path: string): void {
    if (this.list(path).length === 0) this.folders.delete(path);
  }

  private used(): number {
    return [...this.contents.values()].reduce((sum, bytes) => sum + bytes.length, 0);
  }

  private write(path: string, bytes: Uint8Array, at: number): number {
    const old = this.read(path);
    const room = this.capacity - this.used() + Math.max(old.length - at, 0);
    const count = Math.min(bytes.length, room, this.writeMax);
    if (count <= 0) throw full();
    const next = new Uint8Array(Math.max(old.length, at + count));
    next.set(old);
    next.set(bytes.subarray(0, count), at);
    this.contents.set(path, next);
    return count;
  }
}

const full = (): Error => Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
