import { GatewayError } from "../contract/errors.ts";
import {
  chargeOf,
  DECLINED_CARD,
  disputeOf,
  sessionOf,
  setupOf,
  type TestProvider,
} from "./providers/test-provider.ts";
import type { PaymentMethod, Purchase } from "./records.ts";
import type { BillingStores } from "./store.ts";

/** What can be done to a payment, in words, and when it makes sense. */
export interface TestAction {
  readonly name: string;
  readonly label: string;
  readonly when: (purchase: Purchase) => boolean;
  readonly run: (provider: TestProvider, purchase: Purchase) => Promise<void>;
}

const isOpen = ({ status }: Purchase): boolean => status === "pending";
const isPaid = ({ status }: Purchase): boolean => status === "paid";
const isWhole = (purchase: Purchase): boolean => isPaid(purchase) && purchase.disputed === 0n;
const isDisputed = ({ disputed }: Purchase): boolean => disputed > 0n;

const COMPLETED = "checkout.session.completed";
const SUCCEEDED = "checkout.session.async_payment_succeeded";
const FAILED = "checkout.session.async_payment_failed";

export const TEST_ACTIONS: readonly TestAction[] = [
  {
    name: "pay",
    label: "Pay",
    when: isOpen,
    async run(provider, purchase) {
      provider.remember(purchase);
      await provider.tell(COMPLETED, sessionOf(purchase, "paid"));
    },
  },
  {
    name: "decline",
    label: "Decline",
    when: isOpen,
    run: (provider, purchase) => provider.tell(FAILED, sessionOf(purchase, "unpaid")),
  },
  {
    name: "pay-later",
    label: "Pay later",
    when: isOpen,
    run: (provider, purchase) => provider.tell(COMPLETED, sessionOf(purchase, "unpaid")),
  },
  {
    name: "settle",
    label: "Settle what was to be paid later",
    when: isOpen,
    async run(provider, purchase) {
      provider.remember(purchase);
      await provider.tell(SUCCEEDED, sessionOf(purchase, "paid"));
    },
  },
  {
    name: "pay-twice",
    label: "Pay, and tell it three times",
    when: isOpen,
    async run(provider, purchase) {
      provider.remember(purchase);
      await provider.tell(COMPLETED, sessionOf(purchase, "paid"), 2);
      await provider.tell(SUCCEEDED, sessionOf(purchase, "paid"));
    },
  },
  {
    name: "pay-silently",
    label: "Pay, and lose the event",
    when: isOpen,
    run: async (provider, purchase) => provider.remember(purchase),
  },
  {
    name: "expire",
    label: "Let it expire",
    when: isOpen,
    run: (provider, purchase) => provider.tell("checkout.session.expired", sessionOf(purchase, "unpaid")),
  },
  {
    name: "refund",
    label: "Refund",
    when: isWhole,
    run: (provider, purchase) => provider.tell("charge.refunded", chargeOf(purchase, purchase.totalCents)),
  },
  {
    name: "dispute",
    label: "Dispute",
    when: isWhole,
    run: (provider, purchase) => provider.tell("charge.dispute.created", disputeOf(purchase, "needs_response")),
  },
  {
    name: "win-dispute",
    label: "Win the dispute",
    when: isDisputed,
    run: (provider, purchase) => provider.tell("charge.dispute.closed", disputeOf(purchase, "won")),
  },
  {
    name: "lose-dispute",
    label: "Lose the dispute",
    when: isDisputed,
    run: (provider, purchase) => provider.tell("charge.dispute.closed", disputeOf(purchase, "lost")),
  },
];

export const SETUP_ACTIONS = [
  { name: "save", label: "Save a card", methodRef: "pm_test_good" },
  { name: "save-declined", label: "Save a card that will be declined", methodRef: DECLINED_CARD },
] as const;

/** The page on which the offline provider's payments are decided. The id in its address is all that is asked for. */
export class TestCheckout {
  constructor(
    private readonly stores: BillingStores,
    private readonly provider: TestProvider,
  ) {}

  async find(id: string): Promise<Purchase> {
    const purchase = await this.stores.purchases.find(id);
    if (purchase?.provider === this.provider.name) return purchase;
    throw new GatewayError("not_found", "There is no such checkout.");
  }

  /** A means of payment that is being saved, on the same page. */
  async findSetup(id: string): Promise<PaymentMethod | null> {
    const method = await this.stores.methods.find(id);
    return method?.provider === this.provider.name ? method : null;
  }

  async act(id: string, actionName: string): Promise<void> {
    if (await this.findSetup(id)) return this.#save(id, actionName);
    const purchase = await this.find(id);
    const action = TEST_ACTIONS.find(({ name }) => name === actionName);
    if (!action) throw new GatewayError("not_found", "There is no such button.");
    await action.run(this.provider, purchase);
  }

  async #save(id: string, actionName: string): Promise<void> {
    const action = SETUP_ACTIONS.find(({ name }) => name === actionName);
    if (!action) throw new GatewayError("not_found", "There is no such button.");
    await this.provider.tell("setup_intent.succeeded", setupOf(id, action.methodRef));
  }
}
