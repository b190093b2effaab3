import type { ComponentType } from "react";
import type { Access } from "../session/session.ts";

/** The parts of the navigation, in their order. */
export const NAV_GROUPS = {
  work: "Work",
  organization: "Organization",
  assistants: "Assistants",
  training: "Training",
  operator: "Operator",
} as const;
export type NavGroup = keyof typeof NAV_GROUPS;

export interface NavEntry {
  readonly group: NavGroup;
  readonly label: string;
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  /** Lower ones come first in their group. */
  readonly order: number;
}

/** One page: everything that the shell has to know of it. Its code is loaded when it is first opened. */
export interface PageSpec {
  /** Below `/ui`: `/keys`, `/teams/$teamId`. */
  readonly path: string;
  readonly title: string;
  /** `public` pages need no session and stand in a plain frame; the others stand in the shell. */
  readonly access: Access | "public";
  /** How wide a public page is. A page for people who are signed in that has it stands alone, too, without the shell. */
  readonly frame?: "narrow" | "wide";
  readonly load: () => Promise<{ default: ComponentType }>;
  /** Works for people who belong to no organization, too; pages of operators always do. */
  readonly needsOrganization?: false;
  readonly nav?: NavEntry;
}
