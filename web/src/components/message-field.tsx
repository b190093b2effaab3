import { Textarea } from "@mantine/core";

interface MessageFieldProps {
  readonly value: string;
  readonly placeholder: string;
  readonly onChange: (text: string) => void;
  readonly onSend: () => void;
}

/** Where people write. Enter sends, Shift and Enter begin a new line. */
export const MessageField = ({ value, placeholder, onChange, onSend }: MessageFieldProps) => (
  <Textarea
    flex={1}
    aria-label="Message"
    placeholder={placeholder}
    autosize
    minRows={1}
    maxRows={10}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value)}
    onKeyDown={(event) => {
      if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
      event.preventDefault();
      onSend();
    }}
  />
);
