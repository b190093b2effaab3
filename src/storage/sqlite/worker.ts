import { TaskPerformer } from "./perform-tasks.ts";
import type { Request } from "./protocol.ts";

declare const self: Worker;

const performer = new TaskPerformer();

self.onmessage = (event: MessageEvent<Request>) => {
  const reply = performer.perform(event.data);
  if (reply !== null) self.postMessage(reply);
};
