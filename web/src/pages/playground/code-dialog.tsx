import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCode } from "@tabler/icons-react";
import type { CodeCall } from "../../components/call-code.ts";
import { CallSnippets } from "../../components/call-snippets.tsx";

/** The request that would be sent now, as code. */
export function CodeDialog({ call }: { call: () => CodeCall }) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button variant="default" leftSection={<IconCode size={16} />} onClick={dialog.open}>
        Code
      </Button>
      <Modal
        opened={isOpen}
        onClose={dialog.close}
        title="This request as code"
        size="xl"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {isOpen && <CallSnippets call={call()} />}
      </Modal>
    </>
  );
}
