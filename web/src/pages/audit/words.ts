/** What is changed, in words, with what is done to it. An action that is not here is shown as the log has it. */
const KINDS = {
  api_key: {
    title: "Keys",
    actions: {
      create: "made a key",
      update: "changed a key",
      rotate: "rotated a key",
      pick_up: "picked up a rotated key",
      disable: "switched a key off",
      enable: "switched a key on",
      remove: "removed a key",
    },
  },
  team: {
    title: "Teams",
    actions: {
      create: "made a team",
      update: "changed a team",
      block: "blocked a team",
      unblock: "unblocked a team",
      remove: "removed a team",
      add_member: "added somebody to a team",
      update_member: "changed a member of a team",
      remove_member: "took somebody out of a team",
    },
  },
  member: {
    title: "Members",
    actions: {
      add: "added a member",
      update: "changed a member's role",
      remove: "removed a member",
      leave: "left the organization",
    },
  },
  invitation: {
    title: "Invitations",
    actions: {
      create: "invited somebody",
      mail: "sent an invitation",
      resend: "sent an invitation again",
      revoke: "took an invitation back",
      accept: "accepted an invitation",
    },
  },
  organization: {
    title: "Organization",
    actions: {
      create: "made the organization",
      update: "changed the organization",
      activate: "switched to the organization",
      storage_quota: "set the storage quota of the organization",
    },
  },
  management_token: {
    title: "Management tokens",
    actions: { create: "made a management token", remove: "removed a management token" },
  },
  app: { title: "Apps", actions: {} },
  webhook_endpoint: {
    title: "Webhooks",
    actions: {
      create: "made a webhook",
      update: "changed a webhook",
      rotate: "gave a webhook a new secret",
      remove: "removed a webhook",
      replay: "sent a webhook's message again",
    },
  },
  purchase: {
    title: "Purchases",
    actions: {
      create: "began a purchase",
      paid: "paid for credits",
      refund: "refunded a purchase",
      refunded: "got money back",
      refund_failed: "got the credit back for a refund that failed",
      disputed: "disputed a payment",
    },
  },
  payment_method: {
    title: "Payment methods",
    actions: {
      setup: "began to save a payment method",
      save: "saved a payment method",
      remove: "removed the payment method",
    },
  },
  training_run: {
    title: "Training runs",
    actions: {
      create: "asked for a training run",
      start: "started a training run",
      round: "finished a round of training",
      pause: "paused a training run",
      resume: "resumed a training run",
      cancel: "cancelled a training run",
      complete: "completed a training run",
      remove: "removed a training run",
    },
  },
  training_participant: {
    title: "Training participants",
    actions: {
      create: "registered a participant",
      update: "changed a participant",
      probe: "asked a participant how it is",
      remove: "removed a participant",
    },
  },
} as const satisfies Readonly<Record<string, { title: string; actions: Readonly<Record<string, string>> }>>;

/** Their first half is not what was changed. */
const OTHERS: Readonly<Record<string, string>> = {
  "connect.allow": "let an app have a key",
  "billing.alerts": "changed the alerts",
  "billing.auto_top_up": "changed the automatic top-up",
  "credits.grant": "gave credit",
  "voucher.redeem": "redeemed a voucher",
  "user.sign_up": "signed up",
};

const WORDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(KINDS).flatMap(([kind, { actions }]) =>
      Object.entries(actions).map(([action, words]) => [`${kind}.${action}`, words]),
    ),
  ),
  ...OTHERS,
};

export const KIND_CHOICES = Object.entries(KINDS).map(([value, { title }]) => ({ value, label: title }));
export const ACTION_CHOICES = Object.entries(WORDS).map(([value, label]) => ({ value, label }));

/** "api_key" becomes "api key". */
export const plainName = (name: string): string => name.replaceAll(/[_.]/g, " ");
export const actionWords = (action: string): string => WORDS[action] ?? plainName(action);
