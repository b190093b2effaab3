import type { Span } from "./json-scan.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A long text that an object was parsed from, with nothing in it that the object does not have. */
interface Source {
  /** Null once it is not needed any more. */
  text: string | null;
  /** The object's fields as they were parsed, and where their values lie in the text. */
  readonly fields: Fields;
  readonly places: ReadonlyMap<string, Span>;
}

const sources = new WeakMap<object, Source>();

export function keepSource(parsed: Fields, text: string, places: Source["places"]): void {
  sources.set(parsed, { text, fields: { ...parsed }, places });
}

/** For an object that is made of another one's fields: much of what it is written as may still be the other's text. */
export function passSource(from: object, to: object): void {
  const source = sources.get(from);
  if (source) sources.set(to, source);
}

/** Lets go of the text: what was sent is not sent again, and may be answered for as long as its object is kept. */
export function dropSource(made: object): void {
  const source = sources.get(made);
  if (source) source.text = null;
}

/**
 * The JSON text of fields most of which are those that `made` was parsed from: its source, in which only what differs is
 * written anew. Null where there is no source or a field is gone. For a prompt of 400 kB it spares a quarter of its time.
 */
export function rewritten(made: object, fields: Fields): string | null {
  const source = sources.get(made);
  const text = source?.text ?? null;
  if (!source || text === null || !hasAll(fields, source.fields)) return null;
  let added = "";
  const edits: (readonly [Span, string])[] = [];
  for (const name in fields) {
    const value = fields[name];
    const known = Object.hasOwn(source.fields, name);
    if (known && source.fields[name] === value) continue;
    const json = JSON.stringify(value) as string | undefined;
    const place = source.places.get(name);
    // A key that is written with an escape is not found by its name.
    if (json === undefined || known !== (place !== undefined)) return null;
    if (place) edits.push([place, json]);
    else added += `,${JSON.stringify(name)}:${json}`;
  }
  if (added !== "") {
    const end = text.lastIndexOf("}");
    edits.push([{ start: end, end }, added]);
  }
  return edited(text, edits);
}

function hasAll(fields: Fields, former: Fields): boolean {
  let count = 0;
  for (const name in former) {
    if (!Object.hasOwn(fields, name)) return false;
    count++;
  }
  return count > 0;
}

function edited(text: string, edits: (readonly [Span, string])[]): string {
  let result = "";
  let from = 0;
  for (const [{ start, end }, json] of edits.sort(([one], [other]) => one.start - other.start)) {
    result += text.slice(from, start) + json;
    from = end;
  }
  return from === 0 ? text : result + text.slice(from);
}
