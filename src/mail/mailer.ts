import type { Transporter } from "nodemailer";

/** The server that takes our mail, as the configuration has it. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  readonly tls: "always" | "starttls" | "offered" | "never";
  readonly username: string | null;
  readonly password: string | null;
  readonly from: string;
}

export interface Letter {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Together below the time that the outbox leaves to a delivery. */
const TIMES = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000, dnsTimeout: 10_000 };
const SEND_MAX_MS = 90_000;

/** The mail server does not take letters to this address, and says that it never will. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

/** Mail by SMTP. What fails throws, as `AddressRefused` where sending it again would be refused again. */
export class Mailer {
  private open: { readonly server: MailServer; readonly transport: Transporter } | null = null;

  /** The configuration may be another one at the next call. */
  constructor(private readonly server: () => MailServer | null) {}

  get isConfigured(): boolean {
    return this.server() !== null;
  }

  async send(letter: Letter): Promise<void> {
    const server = this.server();
    if (server === null) throw new Error("no mail server is configured");
    const transport = await this.transportTo(server);
    const timeUp = Promise.withResolvers<never>();
    const timer = setTimeout(() => timeUp.reject(new Error("the mail server took too long")), SEND_MAX_MS);
    try {
      // As an object, so that no address is read out of a list that somebody wrote into one.
      const to = { name: "", address: letter.to };
      await Promise.race([transport.sendMail({ ...letter, to, from: server.from }), timeUp.promise]);
    } catch (thrown) {
      throw isRefusedForGood(thrown) ? new AddressRefused((thrown as Error).message, { cause: thrown }) : thrown;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.open?.transport.close();
    this.open = null;
  }

  /** Loaded when the first mail is sent: most processes send none. */
  private async transportTo(server: MailServer): Promise<Transporter> {
    if (this.open?.server === server) return this.open.transport;
    const { createTransport } = await import("nodemailer");
    this.close();
    const { host, port, tls, username, password } = server;
    const transport = createTransport({
      host,
      port,
      secure: tls === "always",
      requireTLS: tls === "starttls",
      ignoreTLS: tls === "never",
      ...(username === null ? {} : { auth: { user: username, pass: password ?? "" } }),
      ...TIMES,
      // A letter is made of our own text: nothing in it may name a file or an address to be read.
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    this.open = { server, transport };
    return transport;
  }
}

/** By an enhanced code: the system, the network, the protocol or the policy, and not the address (RFC 3463). */
const OF_US = /^5\d\d[ -]5\.[3-7]\./;
/** "Log in first." */
const LOG_IN_FIRST = 530;

/** 5xx to the address itself. What it says of us, here or to a log-in or a letter, an operator may mend. */
function isRefusedForGood(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const { command, responseCode, response } = thrown as Partial<
    Record<"command" | "responseCode" | "response", unknown>
  >;
  if (command !== "RCPT TO" || typeof responseCode !== "number" || responseCode < 500) return false;
  return responseCode !== LOG_IN_FIRST && !OF_US.test(String(response));
}
