import type { TestApp } from "../app.ts";
import type { Person } from "./people.ts";
import {
  type Algorithm,
  type CreationOptions,
  type RequestOptions,
  SoftwareAuthenticator,
  type Twist,
} from "./software-authenticator.ts";

export const PASSWORD = "a good long one";
export const ORIGIN = "http://turnpike.test";
const PATH = "/api/auth/passkeys";

interface SignInAnswer {
  readonly token?: string;
  readonly csrfToken?: string;
  readonly error?: string;
}

/** What the pages do with passkeys, at one app. */
export class PasskeyBrowser {
  constructor(
    private readonly app: TestApp,
    private readonly origin = ORIGIN,
  ) {}

  async options(person: Pick<Person, "token">, proof: object = { password: PASSWORD }) {
    const answer = await this.app.call(`${PATH}/options`, { json: proof, key: person.token });
    const body = (await answer.json()) as { options: CreationOptions; error?: string; code?: string };
    return { status: answer.status, body, options: body.options, cookie: cookieOf(answer) };
  }

  add({ send }: Pick<Person, "send">, credential: object, cookie: string, name = "Laptop") {
    return send("POST", PATH, { name, credential }, { cookie });
  }

  /** A new device of the person's. */
  async register(
    person: Pick<Person, "token" | "send">,
    name = "Laptop",
    isCounting = true,
    algorithm: Algorithm = "ES256",
  ) {
    const device = new SoftwareAuthenticator(this.origin, isCounting, algorithm);
    const { options, cookie } = await this.options(person);
    const added = await this.add(person, device.create(options), cookie, name);
    if (added.status !== 201) throw new Error(JSON.stringify(added));
    return { device, id: (added.body as { id: string }).id };
  }

  /** The challenge and the cookie that goes with it. */
  async ask(): Promise<{ options: RequestOptions; cookie: string }> {
    const answer = await this.app.call(`${PATH}/sign-in/options`, { method: "POST" });
    const { options } = (await answer.json()) as { options: RequestOptions };
    return { options, cookie: cookieOf(answer) };
  }

  async answer(credential: object, cookie: string, more: { json?: object; remoteAddress?: string } = {}) {
    const { json = {}, ...init } = more;
    const headers = { cookie };
    const answer = await this.app.call(`${PATH}/sign-in`, { json: { credential, ...json }, headers, ...init });
    const cookies = answer.headers.getSetCookie();
    return { status: answer.status, cookies, body: (await answer.json()) as SignInAnswer };
  }

  async signIn(device: SoftwareAuthenticator, twist: Twist = {}, more: { json?: object; remoteAddress?: string } = {}) {
    const { options, cookie } = await this.ask();
    return this.answer(device.get(options, twist), cookie, more);
  }
}

/** What a browser keeps of an answer, and sends with the next call. */
const cookieOf = ({ headers }: Response): string => (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
