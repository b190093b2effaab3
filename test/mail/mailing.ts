import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { startApp, type TestApp } from "../app.ts";
import { type SmtpServer, startSmtp } from "../services/smtp.ts";
import type { DATABASES } from "../storage/databases.ts";
import { migratedUrl } from "../storage/migrated.ts";

export const PUBLIC_URL = "https://models.example.com";
export const PASSWORD = "a good long one";

/** The program with a mail server, on a clock that the test can move. */
export class Mailing {
  private aheadMs = 0;

  private constructor(
    readonly app: TestApp,
    readonly smtp: SmtpServer,
    private readonly setAhead: (ms: number) => void,
  ) {}

  static async start(kind: (typeof DATABASES)[number]["kind"], settings = ""): Promise<Mailing> {
    const smtp = await startSmtp();
    const { port } = new URL(smtp.url);
    const yaml = `general_settings:
  public_url: ${PUBLIC_URL}/
  smtp: {host: 127.0.0.1, port: ${port}, starttls: false, from: "Turnpike <turnpike@example.com>"}
${settings}`;
    let aheadMs = 0;
    const clock: Clock = {
      nowMs: () => systemClock.nowMs() + aheadMs,
      monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    };
    const url = await migratedUrl(kind);
    const app = await startApp(yaml, url, clock);
    return new Mailing(app, smtp, (ms) => {
      aheadMs = ms;
    });
  }

  pass(ms: number): void {
    this.aheadMs += ms;
    this.setAhead(this.aheadMs);
  }

  /** Gives how many messages were tried. */
  deliver(): Promise<number> {
    return this.app.service.outbox.deliverDue();
  }

  async send(path: string, json: unknown, token?: string, method = "POST") {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await this.app.call(path, { method, headers, ...(json === undefined ? {} : { json }) });
    return { status: response.status, headers: response.headers, body: (await response.json()) as never };
  }

  async signUp(email: string, more: object = {}): Promise<{ id: number; token: string }> {
    const { status, body } = await this.send("/api/auth/signup", { email, password: PASSWORD, ...more });
    if (status !== 201) throw new Error(`signing up gave ${status} ${JSON.stringify(body)}`);
    const { user, token } = body as { user: { id: number }; token: string };
    return { id: user.id, token };
  }

  async me(token: string): Promise<{ emailVerified: boolean }> {
    const { body } = await this.send("/api/auth/me", undefined, token, "GET");
    return (body as { user: { emailVerified: boolean } }).user;
  }

  async logIn(email: string, password: string): Promise<number> {
    return (await this.send("/api/auth/token", { email, password })).status;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.smtp.stop();
  }
}
