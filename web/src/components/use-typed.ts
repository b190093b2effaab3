import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

/**
 * The text of a field whose value stands in the address bar, which is written a moment after the last letter. Whatever else
 * changes the address bar ("back", a link) is taken over; what is being typed is not, nor are the spaces in it.
 */
export function useTyped(value: string, onTyped: (text: string) => void): readonly [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    if (value.trim() !== sent.current.trim()) {
      setText(value);
      sent.current = value;
    }
  }, [value]);
  const send = useDebouncedCallback((next: string) => {
    sent.current = next;
    onTyped(next);
  }, 250);
  const type = (next: string): void => {
    setText(next);
    send(next);
  };
  return [text, type];
}
