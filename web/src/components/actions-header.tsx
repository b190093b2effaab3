import { VisuallyHidden } from "@mantine/core";

/** Above a column of buttons: nothing is seen there, and it is read out. */
export const ActionsHeader = () => <VisuallyHidden>Actions</VisuallyHidden>;
