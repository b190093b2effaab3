import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { runs } from "../../test/property-runs.ts";
import { parseJson } from "./json.ts";
import { dropSource, passSource, rewritten } from "./source-text.ts";

type Fields = Record<string, unknown>;

/** Only long texts are kept. */
const LONG = JSON.stringify("word ".repeat(20_000));
const parse = (text: string) => parseJson(text) as Fields;

/** Names that a search in the text could mistake for another one. */
const names = fc.oneof(fc.constantFrom("model", "stream", 'x"model', "model\\", "mod", "{", ":", ","), fc.string());
/** Without the one name that is left out, and with no two alike. */
const objects = fc.dictionary(
  names.filter((name) => name !== "__proto__" && name !== "text"),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value, shortNumbers)) as unknown),
);
const shortNumbers = (_: string, value: unknown) => (typeof value === "number" ? Math.trunc(value % 1000) : value);

describe("what was parsed from a long text", () => {
  test("is written as it is parsed, whatever is put in its place or beside it", () => {
    const given = fc.tuple(objects, objects, fc.constantFrom(undefined, 1, "\t"), fc.boolean());
    let written = 0;
    fc.assert(
      fc.property(given, ([former, changes, space, isLast]) => {
        const long = JSON.parse(LONG) as string;
        const source = isLast ? { ...former, text: long } : { text: long, ...former };
        const made = parse(JSON.stringify(source, null, space));
        const fields = { ...made, ...changes };
        const text = rewritten(made, fields);
        if (text === null) return;
        written++;
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(fields)));
      }),
      { numRuns: runs(300) },
    );
    expect(written).toBeGreaterThan(runs(300) / 3);
  });

  test("is its own text where nothing differs, and has another model's name in the same place", () => {
    const text = `{ "a": {"model":"no"}, "model" : "ours" , "messages":[{"content":${LONG}}], "n": -1.5 }`;
    const made = parse(text);
    expect(rewritten(made, { ...made })).toBe(text);
    expect(rewritten(made, { ...made, model: "theirs" })).toBe(text.replace('"model" : "ours" ', '"model" :"theirs"'));
    const fields = { ...made, stream_options: { include_usage: true } };
    expect(rewritten(made, fields)).toBe(text.replace(/ }$/, ' ,"stream_options":{"include_usage":true}}'));
  });

  test("is written anew from a copy of its fields too, once that is told where they are from", () => {
    const made = parse(`{"model":"ours","text":${LONG}}`);
    const fields = { ...made, model: "theirs" };
    expect(rewritten(fields, fields)).toBeNull();
    passSource(made, fields);
    expect(rewritten(fields, fields)).toBe(`{"model":"theirs","text":${LONG}}`);
  });

  test("is let go of for all that is made of it", () => {
    const made = parse(`{"model":"ours","text":${LONG}}`);
    const fields = { ...made };
    passSource(made, fields);
    dropSource(fields);
    expect([rewritten(fields, fields), rewritten(made, made)]).toEqual([null, null]);
    dropSource({});
  });

  test.each([
    ["a key twice", `"model":"a","model":"b"`],
    ["a key twice further inside", `"model":"a","messages":[{"content":"shown","content":"hidden"}]`],
    ["a key twice, once with an escape", `"model":"a","mod\\u0065l":"b"`],
    ["a key that is left out", `"model":"a","__proto__":{"admin":true}`],
    ["a number that not everybody can read", `"model":"a","seed":12345678901234567890`],
    ["a number past all bounds", `"model":"a","max_tokens":1e999`],
  ])("is not taken from a text with %s", (_, more) => {
    const made = parse(`{"text":${LONG},${more}}`);
    expect(rewritten(made, { ...made })).toBeNull();
  });

  test("is not written as its text where a field is gone, or where its key has an escape", () => {
    const made = parse(`{"mod\\u0065l":"a","user":"u","text":${LONG}}`);
    expect(rewritten(made, { model: "a", text: made.text })).toBeNull();
    expect(rewritten(made, { ...made, model: "b" })).toBeNull();
  });

  test("is written as its text only as it was parsed: what was put into it since is seen", () => {
    const made = parse(`{"model":"a","text":${LONG}}`);
    made.model = "b";
    expect(rewritten(made, made)).toBe(`{"model":"b","text":${LONG}}`);
  });
});

test("a short text is not kept", () => {
  const made = parse('{"model":"a"}');
  expect(rewritten(made, { ...made })).toBeNull();
});
