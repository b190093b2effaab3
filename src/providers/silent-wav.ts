const SAMPLES = 800;
const HERTZ = 8000;
const HEAD_BYTES = 44;

/** A tenth of a second of silence, as a WAV file. */
export function silentWav(): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(HEAD_BYTES + SAMPLES * 2));
  const text = (at: number, word: string) => {
    for (let index = 0; index < word.length; index++) view.setUint8(at + index, word.charCodeAt(index));
  };
  text(0, "RIFF");
  view.setUint32(4, HEAD_BYTES - 8 + SAMPLES * 2, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, HERTZ, true);
  view.setUint32(28, HERTZ * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, SAMPLES * 2, true);
  return view.buffer;
}
