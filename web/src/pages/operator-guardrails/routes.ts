import { IconShieldCheck } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    path: "/operator/guardrails",
    title: "Guardrails",
    access: "operator",
    load: () => import("./guardrails-page.tsx"),
    nav: { group: "operator", label: "Guardrails", icon: IconShieldCheck, order: 50 },
  },
];
