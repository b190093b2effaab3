import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { COMMAND } from "../lib/command-name.ts";
import { SSE_DONE, SseSplitter } from "../lib/sse.ts";
import { ANSWER_TIMEOUT_MS, callWithKey, KEY_FLAG } from "./call-with-key.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import type { Act, Context } from "./context.ts";
import { findKeyReference } from "./keys.ts";
import { readFailure } from "./read-failure.ts";
import { readPrompt } from "./read-prompt.ts";

const EXAMPLE = 'chat -m MODEL "Hello!"';

interface ChatFlags {
  readonly model: string;
  readonly key?: string;
  readonly viaPlatform?: string;
  readonly system?: string;
  readonly file?: string;
  readonly user?: string;
  readonly stream: boolean;
}

interface Piece {
  readonly choices?: readonly { readonly message?: { content?: unknown }; readonly delta?: { content?: unknown } }[];
}

export function addChat(program: Command, act: Act): void {
  program
    .command("chat")
    .description("send a prompt to a model and print the answer as it comes")
    .argument("[prompt]", "the prompt; - or nothing reads what is piped in")
    .requiredOption("-m, --model <model>", `which model; \`${COMMAND} models list\` shows them`)
    .option(...KEY_FLAG)
    .option("--via-platform <key>", "be signed in instead, and call under one of your keys, named by id or name")
    .option("--system <text>", "what the model is told beforehand")
    .option("--file <path>", "a text file that goes after the prompt, or is the prompt")
    .option("--user <id>", "the end user that the call is made for; some servers want one")
    .option("--stream", "print the answer as it comes, as it does unless told", true)
    .option("--no-stream", "print the answer when it is complete")
    .action(
      act(async (context, flags: ChatFlags, given?: string) => {
        const content = await readContent(context, flags.file, given);
        const system = flags.system === undefined ? [] : [{ role: "system", content: flags.system }];
        const stream = flags.stream && !context.output.json;
        const messages = [...system, { role: "user", content }];
        const asked = { model: flags.model, messages, stream, user: flags.user };
        const response = await send(context, flags, asked);
        if (stream) await printStream(context, response);
        else await printAnswer(context, response);
      }),
    );
}

async function readContent(context: Context, path: string | undefined, given: string | undefined): Promise<string> {
  if (path === undefined) return readPrompt(context, given, EXAMPLE);
  const text = await readFile(path, "utf8").catch(() => {
    throw usageError(`${path} cannot be read.`, "Check its name and who may read it.");
  });
  return given === undefined ? text : `${await readPrompt(context, given, EXAMPLE)}\n\n${text}`;
}

async function send(
  { api, env }: Pick<Context, "api" | "env">,
  { key, viaPlatform }: ChatFlags,
  asked: object,
): Promise<Response> {
  if (viaPlatform === undefined) {
    const hint = `Set TURNPIKE_KEY, or use --via-platform with one of \`${COMMAND} keys list\`.`;
    return callWithKey({ api, env }, key, "/v1/chat/completions", asked, hint);
  }
  if (key !== undefined) throw usageError("Give --key or --via-platform, not both.");
  const apiKey = await findKeyReference({ api }, viaPlatform);
  const call = { method: "POST", timeoutMs: ANSWER_TIMEOUT_MS };
  return api.fetch("/api/gw/messages", { ...call, body: { ...asked, apiKey }, bearer: await api.token() });
}

async function printAnswer({ api, output }: Pick<Context, "api" | "output">, response: Response): Promise<void> {
  const answer = (await response.json().catch((thrown) => {
    throw api.failureOf(thrown);
  })) as Piece;
  if (output.json) output.data(JSON.stringify(answer));
  else output.data(printable(answer.choices?.[0]?.message?.content));
}

async function printStream({ api, output }: Pick<Context, "api" | "output">, response: Response): Promise<void> {
  const splitter = new SseSplitter();
  let ended = false;
  const print = (data: string): void => {
    if (data === SSE_DONE) {
      ended = true;
      return;
    }
    const piece: unknown = JSON.parse(data);
    const failure = readFailure(piece);
    if (failure) throw new CliError(EXIT.error, failure.code, failure.message, { hint: "The answer is not complete." });
    process.stdout.write(printable((piece as Piece).choices?.[0]?.delta?.content));
  };
  try {
    for await (const chunk of response.body ?? []) for (const { data } of splitter.push(chunk)) print(data);
    for (const { data } of splitter.end()) print(data);
  } catch (thrown) {
    throw thrown instanceof SyntaxError ? brokenOff() : api.failureOf(thrown);
  } finally {
    output.data("");
  }
  if (!ended) throw brokenOff();
}

const brokenOff = (): CliError =>
  new CliError(EXIT.network, "STREAM_BROKEN", "The answer broke off.", { hint: "Try again." });

/** On a terminal, what steers it is left out of a model's answer; other programs get every byte. */
function printable(content: unknown): string {
  if (typeof content !== "string") return "";
  return process.stdout.isTTY ? content.replace(/(?![\n\t])\p{Cc}/gu, "") : content;
}
