import { keyTable } from "./key-table.ts";

export const BILLING = keyTable({
  served: "provider allow_test stripe allow_private_webhooks seller_name seller_address seller_tax_id",
});
export const STRIPE = keyTable({ served: "secret_key webhook_secret webhook_secrets api_base" });
