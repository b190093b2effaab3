import { statfsSync } from "node:fs";

/** Calls of models are refused on a full disk: a training of one organization must not bring that about for all. */
export function lackOfRoom(path: string, keepFreeMb: number, moreBytes = 0): string | null {
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize - moreBytes >= keepFreeMb * 1024 ** 2) return null;
  return `the server's disk has less room than it keeps free (general_settings.training.keep_free_mb: ${keepFreeMb})`;
}
