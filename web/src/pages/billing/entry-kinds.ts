/** Kinds of entries in the ledger, in words. */
const KINDS: Readonly<Record<string, string>> = {
  topup: "Purchase",
  grant: "Grant",
  usage: "Calls",
  refund: "Refund",
  dispute: "Dispute",
  adjustment: "Adjustment",
  expiry: "Expiry",
  voucher: "Voucher",
};
export const kindWords = (kind: string): string => KINDS[kind] ?? kind;
