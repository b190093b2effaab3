import { TextInput, type TextInputProps } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";

interface SearchFieldProps extends Omit<TextInputProps, "value" | "onChange" | "label"> {
  /** What is looked through, for screen readers too: "Search models". */
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** A field that asks the server once somebody has stopped typing. */
export function SearchField({ label, value, onSearch, ...input }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  // Whatever else changes the address bar ("back", a link) is taken over; what is being typed is not.
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  const search = useDebouncedCallback((next: string) => {
    sent.current = next;
    onSearch(next);
  }, 250);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} stroke={1.6} />}
      w={{ base: "100%", xs: 280 }}
      maxLength={100}
      {...input}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        search(event.currentTarget.value);
      }}
    />
  );
}
