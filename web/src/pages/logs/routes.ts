import { IconListDetails } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/logs",
    title: "Logs",
    access: "everyone",
    load: () => import("./logs-page.tsx"),
    nav: { group: "work", label: "Logs", icon: IconListDetails, order: 50 },
  },
];
