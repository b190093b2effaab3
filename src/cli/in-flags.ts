/** What the fields of the server's bodies and queries are called here. */
const FLAGS: Readonly<Record<string, string>> = {
  accessGroups: "--access-groups",
  amount: "the amount",
  amountUsd: "the amount",
  apiBase: "--api-base",
  apiKey: "--api-key-stdin",
  budget: "--budget",
  budgetPercents: "--budget-percents",
  budgetWindow: "--budget-window",
  code: "the code",
  credentialName: "--credential",
  endDate: "--to",
  events: "--events",
  expiresAt: "--expires",
  graceSeconds: "--grace",
  groupBy: "--group-by",
  guardrails: "--guardrails",
  idempotencyKey: "--key",
  "Idempotency-Key": "--key",
  inferenceModelId: "the model",
  models: "--models",
  monthlyCap: "--monthly-cap",
  parallelLimit: "--parallel",
  prices: "--price",
  rpmLimit: "--rpm",
  softBudget: "--soft-budget",
  startDate: "--from",
  tpmLimit: "--tpm",
  tz: "--tz",
  url: "the address",
  user: "--user",
};

/** A refusal in the words of who typed the command; programs get the server's own. */
export const inFlags = (message: string): string =>
  message
    .replace(/(^|; )(param|info)s?\.(?=[\w.]+: )/g, "$1--$2 ")
    .replace(/(^|; )([A-Za-z-]+)(?=: )/g, (whole, before, name) => (FLAGS[name] ? `${before}${FLAGS[name]}` : whole))
    .replace(/`([A-Za-z-]+)`/g, (whole, name) => (FLAGS[name]?.startsWith("--") ? FLAGS[name] : whole));
