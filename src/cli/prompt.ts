import { createInterface } from "node:readline";
import { interrupted, usageError } from "./cli-error.ts";

/** Questions go to stderr, so that stdout stays data. They are asked on a terminal only. */
export class Prompt {
  constructor(private readonly flags: { readonly input?: boolean; readonly yes?: boolean }) {}

  get isPossible(): boolean {
    return this.flags.input !== false && process.stdin.isTTY === true;
  }

  async ask(question: string, instead: string): Promise<string> {
    if (!this.isPossible) throw usageError(`${question} is needed.`, instead);
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await new Promise<string>((resolve, reject) => {
        lines.on("close", () => reject(interrupted()));
        lines.on("SIGINT", () => reject(interrupted()));
        lines.question(`${question}: `, (answer) => resolve(answer.trim()));
      });
    } finally {
      lines.close();
    }
  }

  /** Nothing of what is typed is shown. */
  async askHidden(question: string, instead: string): Promise<string> {
    if (!this.isPossible) throw usageError(`${question} is needed.`, instead);
    const { stdin, stderr } = process;
    stderr.write(`${question}: `);
    stdin.setRawMode(true);
    stdin.resume();
    let typed = "";
    const decoder = new TextDecoder();
    try {
      return await new Promise<string>((resolve, reject) => {
        stdin.on("data", (chunk: Buffer) => {
          for (const char of decoder.decode(chunk, { stream: true })) {
            if (char === "\r" || char === "\n") return resolve(typed);
            if (char === "\u0003" || char === "\u0004") return reject(interrupted());
            typed = char === "\u007f" || char === "\b" ? [...typed].slice(0, -1).join("") : typed + char;
          }
        });
      });
    } finally {
      stdin.removeAllListeners("data");
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write("\n");
    }
  }

  /** Before something that cannot be taken back. */
  async confirm(question: string): Promise<void> {
    if (this.flags.yes === true) return;
    if (!this.isPossible) throw usageError(`${question}? Nobody is there to ask.`, "Confirm it with --yes.");
    const answer = await this.ask(`${question}? [y/N]`, "");
    if (!/^y(es)?$/i.test(answer)) throw interrupted("Nothing was changed.");
  }
}

/** All of what is piped in. */
export const readStdin = (): Promise<string> => Bun.stdin.text();
