// A fake of Azure OpenAI: OpenAI's interface at Azure's addresses, with Azure's keys, failures and content filter.

import { isRecord } from "../../src/lib/json.ts";
import { fakeOpenAi } from "./openai.ts";
import { type Failures, OPENAI_FAILURES, Refusal } from "./openai-refusal.ts";
import type { Script } from "./script.ts";

const SAFE = { filtered: false, severity: "safe" };
const VERDICT = { hate: SAFE, self_harm: SAFE, sexual: SAFE, violence: SAFE };

/** A failure in Azure's own words, which know no type. */
class AzureRefusal extends Refusal {
  constructor(
    status: number,
    readonly azureCode: string,
    message: string,
    readonly inner?: object,
  ) {
    super(status, message);
  }

  override body(): object {
    const innererror = this.inner && { innererror: this.inner };
    return { error: { code: this.azureCode, message: this.message, ...innererror } };
  }
}

const FAILURES: Failures = {
  ...OPENAI_FAILURES,
  content_policy: () =>
    new AzureRefusal(
      400,
      "content_filter",
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
      {
        code: "ResponsibleAIPolicyViolation",
        content_filter_result: { ...VERDICT, violence: { filtered: true, severity: "medium" } },
      },
    ),
  auth: wrongKey,
  not_found: () => new AzureRefusal(404, "DeploymentNotFound", "The API deployment for this resource does not exist."),
  rate_limit: () =>
    new AzureRefusal(
      429,
      "429",
      "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded call rate limit of your current pricing tier. Please retry after 3 seconds.",
    ),
  overloaded: () =>
    new AzureRefusal(503, "ServiceUnavailable", "The service is temporarily unable to process your request."),
};

/** Azure begins a stream with what its filter thinks of the prompt: an event without choices and without an id. */
const FILTER_EVENT = {
  choices: [],
  created: 0,
  id: "",
  model: "",
  object: "",
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: VERDICT }],
};

export function fakeAzure(script: Script): (request: Request) => Promise<Response> {
  const inner = fakeOpenAi(script, { failures: FAILURES, before: [FILTER_EVENT] });
  return async (request) => {
    try {
      const { path, deployment } = parseAddress(new URL(request.url));
      checkKey(request.headers);
      const headers = new Headers(request.headers);
      headers.set("authorization", "Bearer azure");
      const body = await withModel(request, deployment);
      return await inner(new Request(`http://azure/v1${path}`, { method: request.method, headers, body }));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return Response.json(error.body(), { status: error.status });
    }
  };
}

/** The older form names the deployment and must name a version; the newer one names a version only for previews. */
function parseAddress({ pathname, searchParams }: URL): { path: string; deployment: string | null } {
  const version = searchParams.get("api-version");
  const newer = /^\/openai\/v1(\/.+)$/.exec(pathname);
  if (newer?.[1] && (version === null || version === "preview" || version === "v1")) {
    return { path: newer[1], deployment: null };
  }
  if (
    pathname === "/openai/responses" &&
    /^\d{4}-\d\d-\d\d(-preview)?$/.test(version ?? "") &&
    (version ?? "") >= "2025-03"
  ) {
    return { path: "/responses", deployment: null };
  }
  const older = /^\/openai\/deployments\/([^/]+)(\/.+)$/.exec(pathname);
  if (!older?.[1] || !older[2] || !/^\d{4}-\d\d-\d\d(-preview)?$/.test(version ?? "")) {
    throw new AzureRefusal(404, "404", "Resource not found");
  }
  return { path: older[2], deployment: decodeURIComponent(older[1]) };
}

function checkKey(headers: Headers): void {
  const key = headers.get("api-key") ?? /^Bearer (\S+)$/.exec(headers.get("authorization") ?? "")?.[1];
  if (!key || key.includes("wrong")) throw wrongKey();
}

function wrongKey(): Refusal {
  return new AzureRefusal(
    401,
    "401",
    "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
  );
}

/** The deployment is the model, whatever the body says. */
async function withModel(request: Request, deployment: string | null): Promise<Blob | string> {
  if (!request.headers.get("content-type")?.startsWith("application/json")) return request.blob();
  const text = await request.text();
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) && deployment !== null ? JSON.stringify({ ...body, model: deployment }) : text;
  } catch {
    return text;
  }
}
