import type { PaymentConfig } from "./config.ts";
import { BILLING, STRIPE } from "./keys/billing.ts";
import { readUrl } from "./read-server.ts";
import { Section } from "./section.ts";

const SELLER_CHARS_MAX = 500;
/** Stripe's own secrets have 38. */
const WEBHOOK_SECRET_CHARS_MIN = 16;
const PROVIDERS = ["stripe", "test", "none"] as const;

/**
 * Without a word about it: Stripe where there is a key for it, else the offline one. That is for trying it out on one's own machine:
 * where others come, who signs up would give themselves credit with it, and spend the operator's money.
 */
export function readPayments(general: Section, isForOthers: boolean): PaymentConfig {
  const map = general.map("billing");
  const billing = new Section(general.scope).add(map?.node, map?.path ?? "", "billing", BILLING);
  const stripe = readStripe(billing);
  const chosen = billing.choice("provider", PROVIDERS);
  const allowTest = billing.boolean("allow_test") ?? !isForOthers;
  if (chosen === "stripe" && stripe === null) {
    billing.fault("provider", "stripe needs `stripe.secret_key` and `stripe.webhook_secret`");
  }
  if (chosen === "test" && !allowTest) {
    billing.fault(
      "provider",
      "test takes no money; in production, or where others can come, it needs `allow_test: true`",
    );
  }
  const provider = chosen ?? (stripe ? "stripe" : allowTest ? "test" : "none");
  if (provider === "test" && allowTest && isForOthers) {
    billing.warn("allow_test", "payments are played and take no money: who can sign up can have any credit they like");
  }
  return {
    provider,
    stripe,
    allowPrivateWebhooks: billing.boolean("allow_private_webhooks") ?? false,
    seller: readSeller(billing),
  };
}

/** An address has as many lines as it has in the file; a name without anything has none. */
function readSeller(billing: Section): PaymentConfig["seller"] {
  const [name = "", address = "", taxId = ""] = ["seller_name", "seller_address", "seller_tax_id"].map((key) => {
    const text = billing.text(key)?.trim() ?? "";
    if (text.length > SELLER_CHARS_MAX) billing.fault(key, `may have ${SELLER_CHARS_MAX} characters`);
    return text;
  });
  if (name === "") {
    for (const key of ["seller_address", "seller_tax_id"]) billing.fault(key, "needs a `seller_name` beside it");
    return null;
  }
  return { name, address: address || null, taxId: taxId || null };
}

function readStripe(billing: Section): PaymentConfig["stripe"] {
  const map = billing.map("stripe");
  if (map === null) return null;
  const stripe = new Section(billing.scope).add(map.node, map.path, "stripe", STRIPE);
  const secretKey = stripe.text("secret_key")?.trim() ?? "";
  const single = stripe.text("webhook_secret");
  const several = stripe.texts("webhook_secrets");
  const webhookSecrets = [...(single === null ? [] : [single]), ...(several ?? [])].map((secret) => secret.trim());
  if (secretKey === "") billing.fault("stripe", "`secret_key` is missing or empty");
  // Without it anybody could tell us that they have paid.
  if (webhookSecrets.length === 0 || webhookSecrets.includes("")) {
    billing.fault(
      "stripe",
      "`webhook_secret` is missing or empty; Stripe shows it beside the webhook endpoint (whsec_...)",
    );
  }
  if (webhookSecrets.some((secret) => secret !== "" && secret.length < WEBHOOK_SECRET_CHARS_MIN)) {
    billing.fault(
      "stripe",
      `\`webhook_secret\` must have ${WEBHOOK_SECRET_CHARS_MIN} characters or more: attackers guess a short one and ` +
        "forge payments. Copy it from the webhook endpoint at Stripe (whsec_...)",
    );
  }
  const apiBase = readUrl(stripe, "api_base", /^https?:$/, "http:// or https://");
  return secretKey === "" ? null : { secretKey, webhookSecrets, apiBase };
}
