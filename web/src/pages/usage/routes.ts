import { IconChartBar } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/usage",
    title: "Usage",
    access: "everyone",
    load: () => import("./usage-page.tsx"),
    nav: { group: "work", label: "Usage", icon: IconChartBar, order: 40 },
  },
];
