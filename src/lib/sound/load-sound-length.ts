import { flacLength } from "./flac-length.ts";
import { mp3Length } from "./mp3-length.ts";
import { mp4Length } from "./mp4-length.ts";
import { oggLength } from "./ogg-length.ts";
import { limitReads, type SoundFile, type ToldLength } from "./sound-file.ts";
import { wavLength } from "./wav-length.ts";
import { webmLength } from "./webm-length.ts";

/** MP3 comes last: it has no beginning that nothing else has. */
const READERS = [flacLength, oggLength, mp4Length, webmLength, mp3Length];
/** Of one reader. */
const READS_MAX = 500;
/** Silence takes as little; who says that there is less for a second is not believed. */
const PER_SECOND_LEAST = 50;
/** Longer than any call. */
const SECONDS_MAX = 1_000_000;

/**
 * How long a sound is, in milliseconds, rounded up: by what its file says, of which some pieces are read. Null where it says
 * nothing that can be true.
 */
export async function loadSoundLength(file: SoundFile): Promise<number | null> {
  const plain = await wavLength(file);
  if (plain !== null) return plain;
  for (const reader of READERS) {
    const told = await reader(limitReads(file, READS_MAX));
    if (told) return believed(told);
  }
  return null;
}

/** Who says less than a sound of this size can be is charged for that size. */
function believed({ seconds, soundBytes, perSecondMax }: ToldLength): number | null {
  if (!(seconds > 0) || seconds * PER_SECOND_LEAST > soundBytes) return null;
  const longer = Math.max(seconds, soundBytes / perSecondMax);
  return longer > SECONDS_MAX ? null : Math.ceil(longer * 1000);
}
