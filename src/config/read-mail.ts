import type { MailConfig } from "./config.ts";
import { SMTP } from "./keys/smtp.ts";
import { readUrl } from "./read-server.ts";
import { Section } from "./section.ts";

const SUBMISSION_PORT = 587;
const TLS_PORT = 465;
/** A bare address, or one with a name before it. Neither has line ends, which would begin a header of somebody else's. */
const SENDER = /^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u;

interface Server extends Pick<MailConfig, "host" | "port" | "username" | "password"> {
  readonly secure: boolean;
}

/** `null`: no mail is sent. The address in one piece wins over the parts, because the environment can set it. */
export function readMail(general: Section, publicUrl: string | null): MailConfig | null {
  const url = readUrl(general, "smtp_url", /^smtps?:$/, "smtp:// or smtps://");
  const map = general.map("smtp");
  const parts = new Section(general.scope).add(map?.node, map?.path ?? "", "smtp", SMTP);
  if (map !== null && url === null) parts.require("host", map.node.at, map.path);
  const server = url === null ? readParts(parts) : readAddress(general, url);
  const starttls = parts.boolean("starttls");
  const from = readSender(general, parts, url);
  if (server === null) return null;
  // A password is not told to whoever listens on the way, unless that is asked for.
  const requireTls = starttls ?? (server.username !== null && !isThisMachine(server.host));
  const tls = server.secure ? "always" : requireTls ? "starttls" : starttls === false ? "never" : "offered";
  const host = publicUrl === null ? server.host : new URL(publicUrl).hostname;
  const { port, username, password } = server;
  return { host: server.host, port, username, password, tls, from: from ?? `Turnpike <no-reply@${host}>` };
}

function readParts(parts: Section): Server | null {
  const host = parts.text("host");
  const secure = parts.boolean("secure");
  const given = parts.number("port", { integer: true, min: 1, max: 65535 });
  const port = given ?? (secure === true ? TLS_PORT : SUBMISSION_PORT);
  const [username, password] = [parts.text("username"), parts.text("password")];
  if (username !== null && password === null) parts.fault("username", "needs a `password` beside it");
  return host === null ? null : { host, port, secure: secure ?? port === TLS_PORT, username, password };
}

function readAddress(general: Section, text: string): Server {
  const url = new URL(text);
  const secure = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? TLS_PORT : SUBMISSION_PORT) : Number(url.port),
    secure,
    username: decoded(general, url.username),
    password: decoded(general, url.password),
  };
}

function decoded(general: Section, text: string): string | null {
  try {
    return text === "" ? null : decodeURIComponent(text);
  } catch {
    general.fault("smtp_url", "a `%` in the user name or the password is written as `%25`");
    return null;
  }
}

function readSender(general: Section, parts: Section, url: string | null): string | null {
  const inUrl = url === null ? null : new URL(url).searchParams.get("from");
  const from = inUrl ?? parts.text("from");
  if (from === null || SENDER.test(from)) return from;
  const [section, key] = inUrl === null ? [parts, "from"] : [general, "smtp_url"];
  section.fault(key, "the sender is an address such as `Turnpike <turnpike@example.com>`");
  return null;
}

const isThisMachine = (host: string): boolean => host === "localhost" || host === "::1" || /^127\./.test(host);
