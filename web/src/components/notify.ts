import { notifications } from "@mantine/notifications";
import type { ApiError } from "../api/api-error.ts";

const CLOSE = { closeButtonProps: { "aria-label": "Close" } } as const;

export const notifyDone = (message: string): void => {
  notifications.show({ message, color: "pine", autoClose: 4000, ...CLOSE });
};

/** What was done but is odd, in the server's words; it stays until it was read. */
export const notifyOdd = (warnings: readonly string[] = []): void => {
  if (warnings.length === 0) return;
  notifications.show({
    title: "Worth a look",
    message: warnings.join(" "),
    color: "yellow",
    autoClose: false,
    ...CLOSE,
  });
};

const AWAY = "server-away";

/** The server does not answer, and the page asks again by itself: said once, for as long as it is so. */
export const notifyAway = (error: Error): void => {
  notifications.show({
    id: AWAY,
    title: "The server does not answer",
    message: `${error.message} This page asks again by itself; what you have typed stays.`,
    color: "red",
    autoClose: false,
    ...CLOSE,
  });
};

export const forgetAway = (): void => {
  notifications.hide(AWAY);
};

/** What went wrong in words, with the id by which an operator finds it in the log. */
export const notifyError = (error: ApiError | Error): void => {
  const requestId = "requestId" in error ? error.requestId : null;
  notifications.show({
    title: "That did not work",
    message: requestId === null ? error.message : `${error.message} (request ${requestId})`,
    color: "red",
    autoClose: 10_000,
    ...CLOSE,
  });
};
