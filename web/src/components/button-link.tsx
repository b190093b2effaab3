import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import { type AnchorHTMLAttributes, type ComponentType, forwardRef, type ReactNode } from "react";

const LinkedButton = createLink(
  forwardRef<HTMLAnchorElement, ButtonProps & AnchorHTMLAttributes<HTMLAnchorElement>>(
    function LinkedButton(props, ref) {
      return <Button component="a" ref={ref} {...props} />;
    },
  ),
);

/** A link between our pages that looks like a button. */
export const ButtonLink = LinkedButton as unknown as ComponentType<
  ButtonProps & {
    readonly to: string;
    readonly search?: Readonly<Record<string, string>>;
    readonly children?: ReactNode;
  }
>;
