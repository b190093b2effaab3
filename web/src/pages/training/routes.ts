import { IconBroadcast, IconSchool } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/training/runs",
    title: "Training runs",
    access: "everyone",
    load: () => import("./runs-page.tsx"),
    nav: { group: "training", label: "Training runs", icon: IconSchool, order: 10 },
  },
  {
    path: "/training/new",
    title: "New training run",
    access: "organization",
    load: () => import("./new-run-page.tsx"),
  },
  { path: "/training/runs/$runId", title: "Training run", access: "everyone", load: () => import("./run-page.tsx") },
  {
    path: "/training/participants",
    title: "Participants",
    access: "everyone",
    load: () => import("./participants-page.tsx"),
    nav: { group: "training", label: "Participants", icon: IconBroadcast, order: 20 },
  },
];
