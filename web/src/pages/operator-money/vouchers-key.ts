/** Under which everything that was read of vouchers is remembered. */
export const VOUCHERS_KEY = ["operator", "vouchers"] as const;
