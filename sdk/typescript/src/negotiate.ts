import { Failure } from "./failure.ts";

const JSON_TYPE = "application/json";
const BINARY_TYPE = "application/octet-stream";

/** Whether the answer is binary: only when that is asked for before JSON. */
export function wantsBinary(accept: string | null, canBeBinary: boolean): boolean {
  const ranges = parseAccept(accept ?? "*/*");
  const json = qualityOf(JSON_TYPE, ranges);
  const binary = canBeBinary ? qualityOf(BINARY_TYPE, ranges) : { q: 0, exactness: 0 };
  if (json.q === 0 && binary.q === 0) {
    const offered = canBeBinary ? `${JSON_TYPE} and ${BINARY_TYPE}` : JSON_TYPE;
    throw new Failure(406, "not_acceptable", `what Accept asks for is not to be had; ${offered} can`);
  }
  return binary.q > json.q || (binary.q === json.q && binary.exactness > json.exactness);
}

interface Range {
  readonly type: string;
  readonly q: number;
}

function parseAccept(accept: string): Range[] {
  return accept.split(",").flatMap((item) => {
    const [type = "", ...settings] = item.split(";").map((part) => part.trim().toLowerCase());
    const q = settings.map((setting) => /^q=(\d(?:\.\d*)?)$/.exec(setting)?.[1]).find((found) => found !== undefined);
    return type === "" ? [] : [{ type, q: q === undefined ? 1 : Number(q) }];
  });
}

function qualityOf(type: string, ranges: readonly Range[]): { q: number; exactness: number } {
  const forms = ["*/*", `${type.split("/")[0]}/*`, type];
  let best = { q: ranges.length === 0 ? 1 : 0, exactness: -1 };
  for (const range of ranges) {
    const exactness = forms.indexOf(range.type);
    if (exactness > best.exactness) best = { q: range.q, exactness };
  }
  return best;
}
