import { afterEach, expect, setSystemTime, test } from "bun:test";
import { keepServerTime, serverNowMs } from "../../web/src/api/server-clock.ts";

const NOON = Date.UTC(2026, 10, 17, 12);
const answer = (date?: string) => new Response(null, date === undefined ? {} : { headers: { date } });
afterEach(() => {
  setSystemTime();
  keepServerTime(answer(new Date(0).toUTCString()));
  keepServerTime(answer(new Date().toUTCString()));
});

test.each([
  ["is right", 0],
  ["is an hour ahead", 3_600_000],
  ["is a day behind", -86_400_000],
])("the server's time is told where the browser's clock %s", (_, wrongMs) => {
  setSystemTime(new Date(NOON + wrongMs));
  keepServerTime(answer("Tue, 17 Nov 2026 12:00:00 GMT"));
  expect(serverNowMs()).toBe(NOON);
  // The next answers are later than what they say, which must not make time jump.
  setSystemTime(new Date(NOON + wrongMs + 3_900));
  keepServerTime(answer("Tue, 17 Nov 2026 12:00:02 GMT"));
  expect(serverNowMs()).toBe(NOON + 3_900);
  keepServerTime(answer());
  expect(serverNowMs()).toBe(NOON + 3_900);
  // Somebody sets the clock while the page is open.
  setSystemTime(new Date(NOON + 7_200_000));
  keepServerTime(answer("Tue, 17 Nov 2026 12:00:04 GMT"));
  expect(serverNowMs()).toBe(NOON + 4_000);
});
