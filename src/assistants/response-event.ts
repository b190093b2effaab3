import { sseEvent } from "../lib/sse.ts";

/** One event of a response, as it is sent. */
export const eventText = (type: string, number: number, fields: object): string =>
  sseEvent(type, JSON.stringify({ type, sequence_number: number, ...fields }));

/** Whole events, one by one: an empty line ends each, and there is none in one. */
export const splitEvents = (text: string): string[] => (text === "" ? [] : text.split(/(?<=\n\n)/));
