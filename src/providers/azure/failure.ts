import { isRecord } from "../../lib/json.ts";
import type { Classified, UpstreamFailure } from "../dialect.ts";
import { classifyOpenAi } from "../openai/failure.ts";

/** Azure's failures are OpenAI's, except that its content filter says which of its categories it means. */
export function classifyAzure(failure: UpstreamFailure, title: string): Classified {
  const error = parseError(failure.body);
  if (failure.status >= 400 && failure.status < 500 && isFiltered(error)) {
    const categories = filteredCategories(error);
    const reason = categories.length === 0 ? "" : ` (${categories.join(", ")})`;
    return { kind: "content_policy", message: `${title}'s content filter refused the request${reason}.` };
  }
  if (failure.status === 404 && error.code === "DeploymentNotFound") {
    return { kind: "model_not_found", message: `${title} has no deployment of this name.` };
  }
  return classifyOpenAi(failure, title);
}

type Fields = Readonly<Record<string, unknown>>;

function parseError(body: string): Fields {
  try {
    const parsed: unknown = JSON.parse(body);
    return isRecord(parsed) && isRecord(parsed.error) ? parsed.error : {};
  } catch {
    return {};
  }
}

/** The details stand in `innererror`, for pictures in `inner_error`. */
function innerOf(error: Fields): Fields {
  const inner = error.innererror ?? error.inner_error;
  return isRecord(inner) ? inner : {};
}

const FILTER_CODES: ReadonlySet<unknown> = new Set(["content_filter", "contentFilter", "content_policy_violation"]);

const isFiltered = (error: Fields): boolean =>
  innerOf(error).code === "ResponsibleAIPolicyViolation" || FILTER_CODES.has(error.code);

/** One result, one under a plural name, or a list of them: all three are in use. */
function filteredCategories(error: Fields): string[] {
  const inner = innerOf(error);
  const found = inner.content_filter_result ?? inner.content_filter_results;
  const results: unknown[] = Array.isArray(found) ? found : [found];
  const names = new Set<string>();
  for (const result of results) {
    if (!isRecord(result)) continue;
    for (const [name, verdict] of Object.entries(result)) {
      if (isRecord(verdict) && verdict.filtered === true && /^\w{1,40}$/.test(name)) names.add(name);
    }
  }
  return [...names];
}
