import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly to: readonly string[];
  readonly from: string;
  /** The headers and the body as they came. */
  readonly raw: string;
  /** The plain text, decoded. */
  readonly text: string;
  /** What `?token=` of its link has. */
  readonly token: string;
}

interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly atAddress?: boolean;
}

export interface SmtpServer {
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** The mail number `count` (from 1) to an address, now or when it comes. */
  mailTo(address: string, count?: number): Promise<ReceivedMail>;
  /** What the server says to the next mails in place of taking them, or already to their addresses; null takes them. */
  refuseWith(refusal: Refusal | null): void;
  /** How many mails were refused. */
  readonly refused: number;
  stop(): Promise<void>;
  /** On the same port as before. */
  restart(): Promise<void>;
}

/** A real SMTP server that keeps what it gets. */
export async function startSmtp(login: { user: string; password: string } | null = null): Promise<SmtpServer> {
  const received: ReceivedMail[] = [];
  const waiting = new Set<() => void>();
  let refusal: Refusal | null = null;
  let refused = 0;
  let port = 0;
  let server: SMTPServer | null = null;

  const start = async (): Promise<void> => {
    server = new SMTPServer({
      // Its own certificate is nobody's.
      disabledCommands: login === null ? ["STARTTLS", "AUTH"] : ["STARTTLS"],
      authOptional: login === null,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) =>
        username === login?.user && password === login?.password
          ? done(null, { user: username })
          : done(new Error("wrong user name or password")),
      onRcptTo(_address, _session, done) {
        if (!refusal?.atAddress) return done();
        refused++;
        done(Object.assign(new Error(refusal.message), { responseCode: refusal.code }));
      },
      onData(stream, { envelope }, done) {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          if (refusal) {
            refused++;
            for (const notice of waiting) notice();
            return done(Object.assign(new Error(refusal.message), { responseCode: refusal.code }));
          }
          const raw = Buffer.concat(chunks).toString("utf8");
          const text = plainTextOf(raw);
          const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
          const token = /[?&]token=([\w-]+)/.exec(text)?.[1] ?? "";
          received.push({ to: envelope.rcptTo.map(({ address }) => address), from, raw, text, token });
          for (const notice of waiting) notice();
          done();
        });
      },
    });
    server.on("error", () => undefined);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
    await promise;
    port = (server.server.address() as AddressInfo).port;
  };
  await start();

  return {
    url: `smtp://${login === null ? "" : `${login.user}:${login.password}@`}127.0.0.1:${port}`,
    received,
    get refused() {
      return refused;
    },
    async mailTo(address, count = 1) {
      for (;;) {
        const found = received.filter(({ to }) => to.includes(address))[count - 1];
        if (found) return found;
        await new Promise<void>((resolve) => {
          const notice = () => {
            waiting.delete(notice);
            resolve();
          };
          waiting.add(notice);
        });
      }
    },
    refuseWith(next) {
      refusal = next;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        if (server) server.close(() => resolve());
        else resolve();
      }),
    restart: start,
  };
}

/** The first part of a letter, without the line breaks that the transport put in. */
function plainTextOf(raw: string): string {
  const start = raw.indexOf("Content-Type: text/plain");
  const head = raw.indexOf("\r\n\r\n", start);
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? "";
  const body = raw.slice(head + 4, raw.indexOf(`--${boundary}`, head));
  const encoding = /Content-Transfer-Encoding: (\S+)/i.exec(raw.slice(start, head))?.[1] ?? "7bit";
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  if (encoding !== "quoted-printable") return body;
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
