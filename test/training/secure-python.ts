import { join } from "node:path";

export const hasPython = Bun.which("python3") !== null;

/** A participant in Python, in a process of its own; the options are those of secure_participant.py. */
export async function startPython(options: object): Promise<{ url: string; stop(): Promise<unknown> }> {
  const script = join(import.meta.dir, "secure_participant.py");
  const child = Bun.spawn(["python3", "-u", script, JSON.stringify(options)], {
    stdout: "pipe",
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1" },
  });
  const stop = () => {
    child.kill("SIGKILL");
    return child.exited;
  };
  let text = "";
  for await (const piece of child.stdout) {
    text += Buffer.from(piece).toString();
    const url = /listens on (\S+)\n/.exec(text)?.[1];
    if (url !== undefined) return { url, stop };
  }
  throw new Error(`a participant ended before it listened: ${text}`);
}
