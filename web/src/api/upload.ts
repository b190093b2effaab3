import { ApiError } from "./api-error.ts";
import { csrfHeaders, renewSession } from "./client.ts";

export interface UploadOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** From 0 to 1, as bytes leave. */
  readonly onProgress?: (share: number) => void;
  readonly signal?: AbortSignal;
}

/** Sends a form with files and tells how far it has come, which `fetch` cannot. A session that has ended is renewed once. */
export async function upload<T>(path: string, form: FormData, options: UploadOptions = {}): Promise<T> {
  const first = await send(path, form, options);
  const answer = first.status === 401 && (await renewSession()) ? await send(path, form, options) : first;
  const body = parsed(answer.responseText);
  if (answer.status >= 200 && answer.status < 300) return body as T;
  throw new ApiError(answer.status === 0 ? null : { status: answer.status, headers: headersOf(answer) }, body);
}

function send(path: string, form: FormData, { headers, onProgress, signal }: UploadOptions): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    for (const [name, value] of Object.entries({ ...csrfHeaders(), ...headers })) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total, lengthComputable }) => {
      if (lengthComputable) onProgress?.(loaded / total);
    };
    request.onload = () => resolve(request);
    request.onerror = () => resolve(request);
    request.onabort = () => reject(new DOMException("The upload was stopped.", "AbortError"));
    signal?.addEventListener("abort", () => request.abort(), { once: true });
    request.send(form);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function headersOf(request: XMLHttpRequest): Headers {
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/);
  const pairs = lines.map((line) => line.split(/:\s*/, 2)).filter((pair) => pair.length === 2);
  return new Headers(pairs as [string, string][]);
}
