import { IconHistory } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/audit",
    title: "Audit log",
    access: "organization",
    load: () => import("./audit-page.tsx"),
    nav: { group: "organization", label: "Audit log", icon: IconHistory, order: 38 },
  },
];
