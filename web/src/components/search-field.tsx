import { TextInput, type TextInputProps } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useTyped } from "./use-typed.ts";

interface SearchFieldProps extends Omit<TextInputProps, "value" | "onChange" | "label"> {
  /** What is looked through, for screen readers too: "Search models". */
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}

/** A field that asks the server once somebody has stopped typing. */
export function SearchField({ label, value, onSearch, ...input }: SearchFieldProps) {
  const [text, type] = useTyped(value, onSearch);
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
      onChange={(event) => type(event.currentTarget.value)}
    />
  );
}
