import { IconBuilding, IconUserHeart, IconUsers, IconUsersGroup } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/teams",
    title: "Teams",
    access: "everyone",
    load: () => import("./teams-page.tsx"),
    nav: { group: "organization", label: "Teams", icon: IconUsersGroup, order: 10 },
  },
  { path: "/teams/$teamId", title: "Team", access: "everyone", load: () => import("./team-page.tsx") },
  {
    path: "/members",
    title: "Members",
    access: "everyone",
    load: () => import("./members-page.tsx"),
    nav: { group: "organization", label: "Members", icon: IconUsers, order: 20 },
  },
  {
    path: "/end-users",
    title: "End users",
    access: "organization",
    load: () => import("./end-users-page.tsx"),
    nav: { group: "organization", label: "End users", icon: IconUserHeart, order: 25 },
  },
  {
    path: "/organization",
    title: "Organization",
    access: "organization",
    load: () => import("./organization-page.tsx"),
    nav: { group: "organization", label: "Settings", icon: IconBuilding, order: 40 },
  },
];
