/** Types that Gemini models read, by the ending of the file's name. */
const BY_ENDING: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  bmp: "image/bmp",
  heic: "image/heic",
  heif: "image/heif",
  pdf: "application/pdf",
  txt: "text/plain",
  md: "text/markdown",
  html: "text/html",
  csv: "text/csv",
  xml: "text/xml",
  json: "application/json",
  wav: "audio/wav",
  mp3: "audio/mp3",
  aiff: "audio/aiff",
  aac: "audio/aac",
  ogg: "audio/ogg",
  flac: "audio/flac",
  m4a: "audio/m4a",
  mp4: "video/mp4",
  mpeg: "video/mpeg",
  mpg: "video/mpg",
  mov: "video/mov",
  avi: "video/avi",
  flv: "video/x-flv",
  webm: "video/webm",
  wmv: "video/wmv",
  "3gp": "video/3gpp",
};

/** Of a file name or an address; null when the ending says nothing. */
export function mimeTypeOf(name: string): string | null {
  const ending = /\.([a-z0-9]{2,4})(?:[?#].*)?$/i.exec(name)?.[1]?.toLowerCase();
  return ending !== undefined && Object.hasOwn(BY_ENDING, ending) ? (BY_ENDING[ending] ?? null) : null;
}
