import { IconDatabase, IconHeartbeat, IconHistory, IconSettings } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

const access = "operator";

export const pages: readonly PageSpec[] = [
  {
    path: "/operator/cache",
    title: "Cache",
    access,
    load: () => import("./cache-page.tsx"),
    nav: { group: "operator", label: "Cache", icon: IconDatabase, order: 52 },
  },
  {
    path: "/operator/audit",
    title: "Audit log",
    access,
    load: () => import("./audit-page.tsx"),
    nav: { group: "operator", label: "Audit log", icon: IconHistory, order: 70 },
  },
  {
    path: "/operator/health",
    title: "Health",
    access,
    load: () => import("./health-page.tsx"),
    nav: { group: "operator", label: "Health", icon: IconHeartbeat, order: 72 },
  },
  {
    path: "/operator/settings",
    title: "Configuration",
    access,
    load: () => import("./settings-page.tsx"),
    nav: { group: "operator", label: "Configuration", icon: IconSettings, order: 74 },
  },
];
