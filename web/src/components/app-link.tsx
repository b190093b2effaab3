import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import { type AnchorHTMLAttributes, type ComponentType, forwardRef, type ReactNode } from "react";

const LinkedAnchor = createLink(
  forwardRef<HTMLAnchorElement, AnchorProps & AnchorHTMLAttributes<HTMLAnchorElement>>(
    function LinkedAnchor(props, ref) {
      return <Anchor ref={ref} {...props} />;
    },
  ),
);

export interface AppLinkProps
  extends AnchorProps,
    Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps | "href"> {
  /** Below `/ui`, with every parameter filled in: `/keys`, `/teams/t_1`. */
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly children?: ReactNode;
}

/** A link between our pages. Pages lie in folders of their own, so their addresses are plain text here. */
export const AppLink = LinkedAnchor as unknown as ComponentType<AppLinkProps>;
