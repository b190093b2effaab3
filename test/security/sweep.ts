import type { Seen, World } from "./world.ts";

/** The forms in which a secret may turn up. A key's SHA-256 is its public handle, so hashes are looked for elsewhere. */
function formsOf(secret: string): readonly (readonly [string, string])[] {
  const bytes = Buffer.from(secret);
  const parts = secret.split(".");
  return [
    ["itself", secret],
    ["in base64", bytes.toString("base64").replaceAll("=", "")],
    ["in base64url", bytes.toString("base64url")],
    ["in hex", bytes.toString("hex")],
    ["its longer half", secret.slice(0, Math.ceil(secret.length / 2))],
    // The parts of a token before its signature are the same for many.
    ...(parts.length === 3 ? [["its signature", parts[2] ?? ""] as const] : []),
  ];
}

/** Half of a token is a header that all tokens share, and half of a canary is its name. */
const isTelling = (secret: string, form: string, part: string): boolean =>
  form !== "its longer half" || (/^[sm]k-[0-9A-Za-z]{49}$/.test(secret) && part.length >= 20);

/** What an answer was meant to show: the operation gives a credential, once, to whoever asked for it. */
const SHOWS = [
  "POST /api/gw/api-keys",
  "POST /api/v1/keys",
  "POST /api/management-tokens",
  "POST /api/auth/token",
  "POST /api/auth/token/refresh",
  "POST /api/auth/signup",
  "POST /api/auth/register",
  "POST /api/auth/device/code",
  "POST /api/auth/device/token",
  "POST /key/generate",
  "POST /key/service-account/generate",
  "POST /key/regenerate",
  "POST /key/pick_up",
  "POST /user/new",
  "POST /api/auth/passkeys/sign-in",
  "POST /api/auth/2fa/setup",
  "POST /api/auth/2fa/enable",
  "POST /api/auth/2fa/recovery-codes",
  "POST /api/gw/teams/invite-member",
];

/** The credentials in such an answer. */
function shownBy({ text }: Seen): string[] {
  const shown = JSON.parse(text) as Record<string, string | undefined> & { recoveryCodes?: string[] };
  const { token, key, secret, deviceCode, recoveryCodes = [], inviteUrl, resetUrl } = shown;
  const inLinks = [inviteUrl, resetUrl].map((link) => link?.split("?token=")[1]);
  // A key's handle stands where elsewhere a credential stands; it opens nothing.
  const credential = token !== undefined && /^[0-9a-f]{64}$/.test(token) ? undefined : token;
  return [credential, key, secret, deviceCode, ...recoveryCodes, ...inLinks].filter((value) => value !== undefined);
}

const mayShow = ({ what, status }: Seen): boolean =>
  status < 300 && SHOWS.some((route) => what.split("?")[0] === route);
const isRotation = ({ what, status }: Seen): boolean =>
  status === 200 &&
  [
    /^POST \/api\/(gw\/api-keys\/[^/]+\/(rotate|pick-up)|invitations\/[^/]+\/resend|admin\/users\/[^/]+\/password-reset)/,
    /^POST \/key\/[^/]+\/regenerate/,
  ].some((shows) => shows.test(what));

/** The credentials that answers were meant to show become secrets that nothing else may show. */
export function learnSecrets(world: World): number {
  let learnt = 0;
  for (const seen of world.seen) {
    if (!mayShow(seen) && !isRotation(seen)) continue;
    for (const value of shownBy(seen)) {
      if (!world.secrets.has(value)) {
        world.secret(`shown by ${seen.what.split("?")[0]}`, value);
        learnt++;
      }
    }
  }
  return learnt;
}

/** Every place where a secret was found that should not be there. */
export async function leaks(world: World): Promise<string[]> {
  const places: (readonly [string, string])[] = [
    ...world.seen
      .filter((seen) => !mayShow(seen) && !isRotation(seen))
      .map((seen) => [`the answer ${seen.status} to ${seen.what.split("?")[0]}`, seen.text] as const),
    ...world.seen.map((seen) => [`a header of ${seen.what.split("?")[0]}`, seen.headers] as const),
    ["the log", world.app.logged.join("\n")],
    ...[...world.bytes()].map(([file, bytes]) => [`the file ${file.split("/").pop()}`, bytes] as const),
    ["a dump", JSON.stringify(await world.dump(), (_, value) => (typeof value === "bigint" ? String(value) : value))],
  ];
  const needles = [...world.secrets].flatMap(([secret, what]) =>
    formsOf(secret)
      .filter(([form, part]) => isTelling(secret, form, part))
      .map(([form, part]) => ({ part, tells: `a ${what} (${form})` })),
  );
  const find = compileNeedles(needles);
  const texts = new Map<string, string>();
  for (const [place, text] of places) if (!texts.has(text)) texts.set(text, place);
  const found = Array.from(texts, ([text, place]) => [...find(text)].map((tells) => `${place} has ${tells}`)).flat();
  return [...new Set(found)];
}

const START_CHARS = 8;

/** Thousands of secrets are looked for at once: by how they begin, and then in full. */
function compileNeedles(needles: readonly { readonly part: string; readonly tells: string }[]) {
  const byStart = new Map<string, { readonly part: string; readonly tells: string }[]>();
  const hints = new Uint8Array(1 << 20);
  const hintAt = (text: string, at: number): number =>
    (text.charCodeAt(at) * 31_337 +
      text.charCodeAt(at + 3) * 1_009 +
      text.charCodeAt(at + 6) * 131 +
      text.charCodeAt(at + 7)) &
    0xfffff;
  for (const needle of needles) {
    const start = needle.part.slice(0, START_CHARS);
    if (start.length < START_CHARS) throw new Error(`${needle.tells} is too short to be looked for`);
    const same = byStart.get(start);
    if (same) same.push(needle);
    else byStart.set(start, [needle]);
    hints[hintAt(start, 0)] = 1;
  }
  return (text: string): Set<string> => {
    const found = new Set<string>();
    for (let at = 0; at + START_CHARS <= text.length; at++) {
      if (hints[hintAt(text, at)] === 0) continue;
      for (const { part, tells } of byStart.get(text.slice(at, at + START_CHARS)) ?? []) {
        if (!found.has(tells) && text.startsWith(part, at)) found.add(tells);
      }
    }
    return found;
  };
}

/** Each answer that shows a credential, shows no other than the one that it made. */
export function overshown(world: World): string[] {
  return world.seen
    .filter((seen) => mayShow(seen) || isRotation(seen))
    .flatMap((seen) => {
      const shown = shownBy(seen);
      return [...world.secrets]
        .filter(([secret]) => !shown.includes(secret) && seen.text.includes(secret))
        .map(([, what]) => `the answer to ${seen.what.split("?")[0]} shows a ${what}`);
    });
}
