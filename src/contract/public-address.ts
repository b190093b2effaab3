import { MASKED } from "./deployment.ts";

/** Query parameters that say how, not who. */
const OPEN_PARAMETERS: ReadonlySet<string> = new Set(["api-version", "alt", "beta"]);
/** Long, of letters and digits: a token that somebody put into the path. */
const TOKEN_LIKE = /^(?=.*\d)(?=.*[a-z])[\w%~.-]{20,}$/i;

/** An address with a mask in place of a user name, of the values of its query and of tokens in its path. */
export function publicAddress(address: string): string {
  if (!URL.canParse(address)) return MASKED;
  const url = new URL(address);
  const path = url.pathname.split("/").map((part) => (TOKEN_LIKE.test(part) ? MASKED : part));
  const query = [...url.searchParams].map(
    ([name, value]) => `${encodeURIComponent(name)}=${OPEN_PARAMETERS.has(name) ? encodeURIComponent(value) : MASKED}`,
  );
  const user = url.username === "" && url.password === "" ? "" : `${MASKED}@`;
  const plain = `${url.protocol}//${user}${url.host}${path.join("/")}`.replace(/\/$/, "");
  return query.length > 0 ? `${plain}?${query.join("&")}` : plain;
}
