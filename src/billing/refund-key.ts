/** A refund is known by what will have gone back with it. After one that failed, the next may come to the same sum. */
export const refundKey = (purchaseId: string, wholeCents: number, failures: number): string =>
  `refund:${purchaseId}:${wholeCents}${failures === 0 ? "" : `:${failures}`}`;
