export interface StreamEvent {
  /** Empty where the stream does not name its events. */
  readonly name: string;
  readonly data: string;
}

/** Each event of a stream as it comes. */
export async function* readEvents({ body }: Response): AsyncGenerator<StreamEvent> {
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let name = "";
  for (;;) {
    const { done, value = "" } = await reader.read();
    rest += value;
    const lines = rest.split(/\r?\n/);
    rest = done ? "" : (lines.pop() ?? "");
    for (const line of lines) {
      if (line.startsWith("event:")) name = line.slice(6).trim();
      if (!line.startsWith("data:")) continue;
      yield { name, data: line.slice(5).trim() };
      name = "";
    }
    if (done) return;
  }
}
