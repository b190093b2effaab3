import type { Detector, Match } from "../detector.ts";
import { charSet, isAlphanumeric, isBreak, isTypesetBreak, TYPESET_BREAKS, trailingRun } from "./characters.ts";

/** How long an account number is in each country. */
const LENGTHS: Readonly<Record<string, number>> = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18
   FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21
   LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27
   ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
const START = /[A-Za-z]{2}\d{2}/g;
const isInside = charSet(/[A-Za-z0-9 -]/, isTypesetBreak);
/** What could still become the beginning of one: nothing else of ordinary words is held back. */
const STARTED = new RegExp(`(?:^|[^A-Za-z0-9])([A-Za-z]{1,2}(?:\\d?|\\d{2}[A-Za-z0-9 ${TYPESET_BREAKS}-]*))$`);
/** Longer than any, with a blank behind each group and what follows it. */
const REACH = 48;

export const iban: Detector = {
  next(text, from) {
    START.lastIndex = from;
    for (let found = START.exec(text); found; found = START.exec(text)) {
      const start = found.index;
      START.lastIndex = start + 1;
      if (start > 0 && isAlphanumeric(text.charCodeAt(start - 1))) continue;
      const match = accountAt(text, start);
      if (match) return match;
    }
    return null;
  },
  open(text, from) {
    const run = trailingRun(text, from, isInside, REACH);
    const before = run > 0 ? run - 1 : 0;
    const started = STARTED.exec(text.slice(before));
    return started ? Math.max(from, text.length - (started[1] ?? "").length) : text.length;
  },
};

function accountAt(text: string, start: number): Match | null {
  const length = LENGTHS[text.slice(start, start + 2).toUpperCase()];
  if (length === undefined) return null;
  let account = "";
  let at = start;
  for (; at < text.length && account.length < length; at++) {
    if (isAlphanumeric(text.charCodeAt(at))) account += text[at];
    else if (!isBreak(text.charCodeAt(at)) || !isAlphanumeric(text.charCodeAt(at + 1))) return null;
  }
  if (account.length < length || (at < text.length && isAlphanumeric(text.charCodeAt(at)))) return null;
  return remainder97(account.toUpperCase()) === 1 ? { category: "iban", start, end: at } : null;
}

/** The country and check digits go to the end, letters count as 10 to 35, and the number leaves 1 when divided by 97. */
export function remainder97(account: string): number {
  let rest = 0;
  for (const char of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
