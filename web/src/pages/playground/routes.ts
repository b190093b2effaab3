import { IconMessages } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/playground",
    title: "Playground",
    access: "callers",
    load: () => import("./playground-page.tsx"),
    nav: { group: "work", label: "Playground", icon: IconMessages, order: 30 },
  },
];
