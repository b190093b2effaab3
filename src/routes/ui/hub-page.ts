import { formatUsd } from "../../contract/money.ts";
import { MODEL_CAPABILITIES, type PlatformModel } from "../../contract/platform-models.ts";
import { escapeHtml } from "../../lib/html.ts";

interface HubList {
  readonly models: readonly PlatformModel[];
  readonly search: string;
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  /** The date of the table that limits, capabilities and prices are from. */
  readonly factsDate: string;
}

/** The hub as a list, for who lets no script run. */
export const drawList = ({ models, search, page, pages, total, factsDate }: HubList, nonce: string): string =>
  frame(
    nonce,
    `<h1>Models</h1>
<form method="get" action="/ui/model_hub_table">
<label>Search <input name="search" value="${escapeHtml(search)}" maxlength="100"></label> <button>Search</button>
</form>
<p>${total === 0 ? "No model fits." : `${total} ${total === 1 ? "model" : "models"}. Prices are in USD for a million tokens.`}</p>
<table>
<thead><tr><th scope="col">Model</th><th scope="col">Provider</th><th scope="col">Type</th><th scope="col">Context</th><th scope="col">Input</th><th scope="col">Output</th></tr></thead>
<tbody>
${models.map(drawRow).join("\n")}
</tbody>
</table>
${drawPages(search, page, pages)}
<p>Limits, capabilities and listed prices: table of ${escapeHtml(factsDate)}</p>`,
  );

const drawRow = (model: PlatformModel): string =>
  `<tr><td><a href="${addressOf(model.id)}">${escapeHtml(model.id)}</a></td><td>${escapeHtml(model.providerName)}</td>` +
  `<td>${escapeHtml(wordsOf(model.type))}</td><td>${model.contextLength?.toLocaleString("en-US") ?? "-"}</td>` +
  `<td>${tokenPrice(model, "input")}</td><td>${tokenPrice(model, "output")}</td></tr>`;

/** Pictures and sound are not charged by tokens; the page of the model says by what. */
const tokenPrice = ({ type, inputPrice, outputPrice }: PlatformModel, component: "input" | "output"): string =>
  /^(image|audio)/.test(type) ? "-" : priceOf(component === "input" ? inputPrice : outputPrice);

function drawPages(search: string, page: number, pages: number): string {
  if (pages === 1) return "";
  const link = (to: number, words: string): string =>
    to < 1 || to > pages
      ? ""
      : `<a href="/ui/model_hub_table?${escapeHtml(new URLSearchParams({ search, page: String(to) }).toString())}">${words}</a>`;
  return `<p>${link(page - 1, "Page before")} Page ${page} of ${pages} ${link(page + 1, "Next page")}</p>`;
}

/** One model; null where there is none of that name. */
export function drawModel(model: PlatformModel | null, nonce: string): string {
  const back = `<p><a href="/ui/model_hub_table">All models</a></p>`;
  if (model === null) return frame(nonce, `<h1>No such model</h1>${back}`);
  const able = MODEL_CAPABILITIES.filter((name) => model.capabilities[name] === true).map(wordsOf);
  const facts: readonly (readonly [string, string])[] = [
    ["Provider", model.providerName],
    ["Type", wordsOf(model.type)],
    ["Context", model.contextLength === null ? "not known" : `${model.contextLength.toLocaleString("en-US")} tokens`],
    ["Capabilities", able.join(", ") || "none that are known"],
    ...model.pricing.map(
      ({ component, price }) => [`${wordsOf(component)}, USD for a million`, priceOf(price)] as const,
    ),
  ];
  const lines = facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("\n");
  return frame(nonce, `${back}<h1>${escapeHtml(model.id)}</h1><dl>\n${lines}\n</dl>`);
}

const addressOf = (id: string): string => `/ui/model_hub_table/${escapeHtml(encodeURIComponent(id))}`;

/** `image_generation` and `parallelTools` as people read them. */
const wordsOf = (name: string): string =>
  name
    .replaceAll("_", " ")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();

const priceOf = (nano: number | null): string => (nano === null ? "-" : formatUsd(BigInt(nano)));

const frame = (nonce: string, content: string): string => `<style nonce="${nonce}">
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
#root:empty { display: none; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid #8884; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dd { margin: 0; overflow-wrap: anywhere; }
input, button { font: inherit; padding: .25rem .5rem; }
</style>
<main>
${content}
<p>Without JavaScript this is a list. <a href="/fallback/login">Log in</a></p>
</main>`;
