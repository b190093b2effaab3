import { TagsInput, type TagsInputProps } from "@mantine/core";

/** What lists of addresses are separated by where people keep them; none of these is part of an address. */
const BETWEEN = [",", ";", " ", "\t", "\n"];

/** Addresses and ranges from which something may be used. A list that is pasted is taken apart. */
export const AddressesInput = (props: TagsInputProps) => (
  <TagsInput
    label="Allowed addresses"
    placeholder={props.value?.length ? "" : "anywhere"}
    splitChars={BETWEEN}
    clearable
    clearButtonProps={{ "aria-label": "Remove all addresses" }}
    {...props}
  />
);
