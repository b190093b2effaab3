import { IconStack2 } from "@tabler/icons-react";
import type { PageSpec } from "../../app/page-spec.ts";

export const pages: readonly PageSpec[] = [
  {
    // An address with more behind it is a model's, whose name may have slashes: this one ends here.
    path: "/models/",
    title: "Models",
    access: "everyone",
    needsOrganization: false,
    load: () => import("./models-page.tsx"),
    nav: { group: "work", label: "Models", icon: IconStack2, order: 60 },
  },
  {
    path: "/models/$",
    title: "Model",
    access: "everyone",
    needsOrganization: false,
    load: () => import("./model-page.tsx"),
  },
  {
    path: "/model_hub_table/",
    title: "Models",
    access: "public",
    frame: "wide",
    load: () => import("./hub-page.tsx"),
  },
  {
    path: "/model_hub_table/$",
    title: "Model",
    access: "public",
    frame: "wide",
    load: () => import("./hub-model-page.tsx"),
  },
];
