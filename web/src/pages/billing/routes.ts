import { IconCreditCard } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/billing",
    title: "Billing",
    access: "everyone",
    load: () => import("./billing-page.tsx"),
    nav: { group: "organization", label: "Billing", icon: IconCreditCard, order: 30 },
  },
];
