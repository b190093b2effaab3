import { Button, FileButton } from "@mantine/core";
import { IconUpload } from "@tabler/icons-react";

interface UploadButtonProps {
  readonly label?: string;
  readonly variant?: string;
  readonly onFiles: (files: readonly File[]) => void;
}

/** Chooses files of the person's machine. */
export const UploadButton = ({ label = "Upload files", variant = "filled", onFiles }: UploadButtonProps) => (
  <FileButton onChange={(files) => files.length > 0 && onFiles(files)} multiple>
    {(props) => (
      <Button {...props} variant={variant} leftSection={<IconUpload size={16} />}>
        {label}
      </Button>
    )}
  </FileButton>
);
