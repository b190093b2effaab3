import { IconBuilding, IconGauge, IconKey, IconUser, IconUsersGroup } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

const access = "operator";

export const pages: readonly PageSpec[] = [
  {
    path: "/operator/organizations",
    title: "Organizations",
    access,
    load: () => import("./organizations-page.tsx"),
    nav: { group: "operator", label: "Organizations", icon: IconBuilding, order: 30 },
  },
  {
    path: "/operator/organizations/$organizationId",
    title: "Organization",
    access,
    load: () => import("./organization-page.tsx"),
  },
  {
    path: "/operator/teams",
    title: "All teams",
    access,
    load: () => import("./teams-page.tsx"),
    nav: { group: "operator", label: "All teams", icon: IconUsersGroup, order: 32 },
  },
  {
    path: "/operator/users",
    title: "Users",
    access,
    load: () => import("./users-page.tsx"),
    nav: { group: "operator", label: "Users", icon: IconUser, order: 34 },
  },
  {
    path: "/operator/keys",
    title: "All keys",
    access,
    load: () => import("./keys-page.tsx"),
    nav: { group: "operator", label: "All keys", icon: IconKey, order: 36 },
  },
  {
    path: "/operator/budgets",
    title: "Budgets",
    access,
    load: () => import("./budgets-page.tsx"),
    nav: { group: "operator", label: "Budgets", icon: IconGauge, order: 38 },
  },
];
