import { IconWebhook } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/webhooks",
    title: "Webhooks",
    access: "organization",
    load: () => import("./webhooks-page.tsx"),
    nav: { group: "organization", label: "Webhooks", icon: IconWebhook, order: 35 },
  },
];
