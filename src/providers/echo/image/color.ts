export type Rgb = readonly [red: number, green: number, blue: number];

/** Hue in turns; saturation and lightness from 0 to 1. */
export function hsl(hue: number, saturation: number, lightness: number): Rgb {
  const turn = ((hue % 1) + 1) % 1;
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number) => {
    const at = (offset + turn * 12) % 12;
    return 255 * (lightness - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1)));
  };
  return [channel(0), channel(8), channel(4)];
}

export function mix(from: Rgb, to: Rgb, share: number): Rgb {
  return [
    from[0] + (to[0] - from[0]) * share,
    from[1] + (to[1] - from[1]) * share,
    from[2] + (to[2] - from[2]) * share,
  ];
}
