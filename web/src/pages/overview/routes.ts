import { IconHome } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/",
    title: "Overview",
    access: "everyone",
    load: () => import("./overview-page.tsx"),
    nav: { group: "work", label: "Overview", icon: IconHome, order: 10 },
  },
];
