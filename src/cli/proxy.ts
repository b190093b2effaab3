interface Proxy {
  readonly variable: string;
  /** Without the password that may stand in it. */
  readonly address: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that calls of an address go by, as the runtime reads the variables. */
export function findProxy(url: string, env: Environment): Proxy | null {
  const { protocol, hostname, host } = new URL(url);
  if (isExcluded(hostname, host, env.no_proxy || env.NO_PROXY || "")) return null;
  const own = protocol === "https:" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"];
  const variable = [...own, "all_proxy", "ALL_PROXY"].find((name) => env[name]);
  if (variable === undefined) return null;
  const parsed = URL.parse(env[variable] ?? "");
  return {
    variable,
    address: parsed === null || parsed.host === "" ? "what it names" : `${parsed.protocol}//${parsed.host}`,
  };
}

/** Names stand for all that ends with them. */
const isExcluded = (hostname: string, host: string, list: string): boolean =>
  list
    .split(",")
    .map((one) =>
      one
        .trim()
        .toLowerCase()
        .replace(/^\*?\./, ""),
    )
    .some((one) => one === "*" || (one !== "" && (one === host || one === hostname || hostname.endsWith(`.${one}`))));
