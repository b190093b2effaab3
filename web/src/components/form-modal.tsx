import { Modal, type ModalProps } from "@mantine/core";
import { type MouseEvent, useState } from "react";

/**
 * A dialog with a form in it. Once something is typed or chosen it closes by its buttons alone: a click beside it, or Escape,
 * must not cost what is there.
 */
export function FormModal({ opened, ...props }: ModalProps) {
  const [isTouched, setTouched] = useState(false);
  if (!opened && isTouched) setTouched(false);
  // Lists to choose from lie elsewhere in the document, and tell no "input".
  const notice = ({ target }: MouseEvent): void => {
    if (target instanceof Element && target.closest("[role=option]") !== null) setTouched(true);
  };
  return (
    <Modal
      opened={opened}
      closeOnClickOutside={!isTouched}
      closeOnEscape={!isTouched}
      closeButtonProps={{ "aria-label": "Close" }}
      onInput={() => setTouched(true)}
      onClickCapture={notice}
      {...props}
    />
  );
}
