/** What a call that failed has to say to a person: words, the server's code, and the id by which it can be found in the log. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  /** The field of the form that the server's words are about. */
  readonly field: string | null;
  readonly retryAfterS: number | null;
  /** The password was right, and a code of the second factor is asked for. */
  readonly needsCode: boolean;
  /** An administrator no longer sees the pages as somebody else, and has not gone back yet. */
  readonly isSightOver: boolean;

  /** For places that are not at the field: words such as "it is missing" need to say of what. */
  get sentence(): string {
    return this.field === null ? this.message : `${this.field}: ${this.message}`;
  }

  constructor(response: Pick<Response, "status" | "headers"> | null, body: unknown) {
    const { message, code, field } = readBody(body, response?.status ?? 0);
    super(message);
    this.status = response?.status ?? 0;
    this.code = code;
    this.field = field;
    this.requestId = response?.headers.get("x-gw-call-id") ?? null;
    const wait = Number(response?.headers.get("retry-after"));
    this.retryAfterS = Number.isFinite(wait) && wait > 0 ? wait : null;
    this.needsCode = response?.headers.get("x-gw-two-factor") === "required";
    this.isSightOver = response?.headers.get("x-gw-impersonation") === "over";
  }
}

interface Told {
  readonly message: string;
  readonly code: string;
  readonly field: string | null;
}

/** Both faces of the server: `{error, code}` of the platform, `{error: {message, code, param}}` of the gateway, `{detail}` of schemas. */
function readBody(body: unknown, status: number): Told {
  const told = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  if (typeof told.error === "string") return withField(told.error, String(told.code ?? ""));
  if (typeof told.error === "object" && told.error !== null) {
    const { message, code, param } = told.error as Record<string, unknown>;
    const field = typeof param === "string" ? param : null;
    return { message: String(message ?? "The call failed."), code: String(code ?? ""), field };
  }
  if (Array.isArray(told.detail)) {
    const [first] = told.detail as { loc?: unknown[]; msg?: string }[];
    const field = first?.loc?.at(-1);
    return {
      message: first?.msg ?? "Something is not filled in as it must be.",
      code: "validation",
      field: field === undefined ? null : String(field),
    };
  }
  return { message: WITHOUT_BODY[status] ?? `The server answered with ${status}.`, code: "", field: null };
}

const WITHOUT_BODY: Readonly<Record<number, string>> = {
  0: "The server could not be reached. Check the connection and try again.",
  502: "The server behind this address does not answer.",
  503: "The server is starting or shutting down; try again in a moment.",
};

/** The platform names the field before its words: `name: it is missing.` */
function withField(text: string, code: string): Told {
  const found = /^([a-zA-Z_][\w.]*): (.+)$/s.exec(text);
  if (!found) return { message: text, code, field: null };
  const words = found[2] ?? "";
  return { message: words.charAt(0).toUpperCase() + words.slice(1), code, field: found[1] ?? null };
}
