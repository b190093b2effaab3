import { IconScale, IconTicket, IconWebhook } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

const access = "operator";

export const pages: readonly PageSpec[] = [
  {
    path: "/operator/vouchers",
    title: "Credits and vouchers",
    access,
    load: () => import("./vouchers-page.tsx"),
    nav: { group: "operator", label: "Credits and vouchers", icon: IconTicket, order: 60 },
  },
  {
    path: "/operator/payments",
    title: "Payment events",
    access,
    load: () => import("./payments-page.tsx"),
    nav: { group: "operator", label: "Payment events", icon: IconWebhook, order: 62 },
  },
  {
    path: "/operator/ledger",
    title: "Ledger check",
    access,
    load: () => import("./ledger-page.tsx"),
    nav: { group: "operator", label: "Ledger check", icon: IconScale, order: 64 },
  },
];
