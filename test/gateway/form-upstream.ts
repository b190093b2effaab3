/** An upstream that keeps every form that it is sent, byte for byte, and answers by a list, of which the last one stays. */
export function startFormUpstream(answers: readonly (() => Response)[]) {
  const seen: { path: string; key: string | null; body: string }[] = [];
  const left = [...answers];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    async fetch(request) {
      const boundary = /boundary=(.+)$/.exec(request.headers.get("content-type") ?? "")?.[1] ?? "none";
      const body = Buffer.from(await request.arrayBuffer()).toString("latin1");
      const { pathname, search } = new URL(request.url);
      const key = request.headers.get("authorization") ?? request.headers.get("api-key");
      seen.push({ path: pathname + search, key, body: body.replaceAll(boundary, "BOUNDARY") });
      const answer = left.length > 1 ? left.shift() : left[0];
      return answer?.() ?? new Response(null, { status: 500 });
    },
  });
  return {
    seen,
    origin: `http://127.0.0.1:${server.port}`,
    answer(...next: (() => Response)[]) {
      left.splice(0, left.length, ...next);
    },
    stop: () => server.stop(true),
  };
}

/** A form as it has to arrive: fields, then files with their bytes. */
export const formText = (
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly (readonly [field: string, name: string, type: string, bytes: Uint8Array])[],
): string =>
  [
    ...fields.map(([name, value]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}`),
    ...files.map(
      ([field, name, type, bytes]) =>
        `Content-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n${Buffer.from(bytes).toString("latin1")}`,
    ),
  ]
    .map((part) => `--BOUNDARY\r\n${part}\r\n`)
    .join("")
    .concat("--BOUNDARY--\r\n");

export type Parts = readonly (readonly [name: string, value: Part])[];
type Part = string | readonly [bytes: Uint8Array, name: string, type?: string];

/** Makes forms as a caller sends them; files that do not say their type are of this one. */
export const formsOf =
  (usualType: string) =>
  (parts: Parts): FormData => {
    const form = new FormData();
    for (const [name, value] of parts) {
      if (typeof value === "string") form.append(name, value);
      else form.append(name, new File([value[0]], value[1], { type: value[2] ?? usualType }));
    }
    return form;
  };
