import type { Letter } from "./mailer.ts";

interface Content {
  readonly to: string;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** The one thing to do. */
  readonly action: { readonly label: string; readonly url: string };
  /** How to do the same without a browser, where that goes. */
  readonly commands: readonly string[];
  readonly closing: string;
}

/** The same letter as plain text and as simple HTML. Names that people chose are text in both, never markup or a header. */
export function writeLetter({ to, subject, paragraphs, action, commands, closing }: Content): Letter {
  const command = "Or on the command line:";
  const text = [
    ...paragraphs,
    `${action.label}:\n${action.url}`,
    ...(commands.length === 0 ? [] : [`${command}\n${commands.map((line) => `  ${line}`).join("\n")}`]),
    closing,
  ].join("\n\n");
  const p = (html: string): string => `<p>${html}</p>`;
  const html = [
    ...paragraphs.map((one) => p(escapeHtml(one))),
    p(`<a href="${escapeHtml(action.url)}">${escapeHtml(action.label)}</a>`),
    ...(commands.length === 0 ? [] : [p(`${command}<br><code>${commands.map(escapeHtml).join("<br>")}</code>`)]),
    p(`<small>${escapeHtml(closing)}</small>`),
  ].join("\n");
  return {
    to,
    subject: oneLine(subject),
    text: `${text}\n`,
    html: `<!doctype html><html><body>\n${html}\n</body></html>`,
  };
}

/** Names that people chose stay short and on their line. */
export function oneLine(text: string, charsMax = 200): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  return line.length > charsMax ? `${line.slice(0, charsMax - 1).toWellFormed()}…` : line;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
