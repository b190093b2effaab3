import { EMBEDDING_INPUTS, PLAIN_TEXT, STREAMED_TEXT } from "../answers.ts";

type Check = (body: Buffer) => boolean;

/** How many answers are only compared by their length between two that are read. */
const READ_EVERY = 20;

const WHOLE: Readonly<Record<string, Check>> = {
  chat: (body) => {
    const { choices, usage } = JSON.parse(body.toString()) as {
      choices: { message: { content: string } }[];
      usage: { completion_tokens: number };
    };
    return choices[0]?.message.content === PLAIN_TEXT && usage.completion_tokens === 60;
  },
  stream: (body) => {
    const text = body.toString();
    let said = "";
    for (const [, data = ""] of text.matchAll(/^data: (\{.*)$/gm)) {
      const { choices } = JSON.parse(data) as { choices?: { delta?: { content?: string | null } }[] };
      said += choices?.[0]?.delta?.content ?? "";
    }
    return said === STREAMED_TEXT && text.trimEnd().endsWith("data: [DONE]");
  },
  embeddings: (body) => {
    const { data } = JSON.parse(body.toString()) as { data: { embedding: number[] }[] };
    return data.length === EMBEDDING_INPUTS && data.every(({ embedding }) => embedding.length === 1_536);
  },
};

/**
 * Whether an answer is the right one. The first and some others are read; those between them must have a length that was
 * seen on a right one, which costs the client nothing.
 */
export function newCheck(name: string): Check {
  const whole = WHOLE[name];
  if (!whole) throw new Error(`there is no check called ${name}`);
  const lengths = new Set<number>();
  let count = 0;
  return (body) => {
    if (count++ % READ_EVERY !== 0 && lengths.has(body.length)) return true;
    try {
      if (!whole(body)) return false;
    } catch {
      return false;
    }
    lengths.add(body.length);
    return true;
  };
}
