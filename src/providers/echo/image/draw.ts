import { hashText, seededRandom } from "../seeded.ts";
import type { Rgb } from "./color.ts";
import { hsl, mix } from "./color.ts";
import type { Picture } from "./png.ts";

/** A sun over rows of misty hills. Everything in it is fixed by the prompt and the picture's number. */
export function drawLandscape(prompt: string, number: number, width: number, height: number): Picture {
  const random = seededRandom(hashText(prompt, number));
  const picture = { width, height, rgb: new Uint8Array(width * height * 3) };
  const scene = planScene(random);
  drawSky(picture, scene);
  for (let layer = 0; layer < scene.hills.length; layer++) drawHill(picture, scene, layer);
  return picture;
}

/** Lengths are shares of the picture's height, so that every size shows the same scene. */
interface Scene {
  readonly skyTop: Rgb;
  readonly skyLow: Rgb;
  readonly sun: { readonly x: number; readonly y: number; readonly radius: number; readonly color: Rgb };
  readonly near: Rgb;
  readonly hills: readonly Hill[];
}

interface Hill {
  readonly base: number;
  readonly waves: readonly { readonly height: number; readonly turns: number; readonly phase: number }[];
}

const HILL_COUNT = 5;

function planScene(random: () => number): Scene {
  const hue = random();
  const warmHue = hue + 0.08 + random() * 0.1;
  const horizon = 0.5 + random() * 0.1;
  return {
    skyTop: hsl(hue, 0.55, 0.3 + random() * 0.15),
    skyLow: hsl(warmHue, 0.75, 0.8),
    sun: {
      x: 0.2 + random() * 0.6,
      y: 0.22 + random() * 0.25,
      radius: 0.06 + random() * 0.06,
      color: hsl(warmHue + 0.04, 0.9, 0.93),
    },
    near: hsl(hue - 0.04, 0.5, 0.1),
    hills: Array.from({ length: HILL_COUNT }, (_, layer) => planHill(random, layer, horizon)),
  };
}

/** Nearer hills stand lower and swing in longer waves. */
function planHill(random: () => number, layer: number, horizon: number): Hill {
  const nearness = layer / (HILL_COUNT - 1);
  return {
    base: horizon + nearness * (0.92 - horizon),
    waves: [1, 2.3, 5.1, 11].map((turns, at) => ({
      height: (0.05 / (at + 1) ** 1.3) * (0.6 + random() * 0.8),
      turns: turns * (1.3 - nearness * 0.6),
      phase: random() * 2 * Math.PI,
    })),
  };
}

function drawSky({ width, height, rgb }: Picture, { skyTop, skyLow, sun }: Scene): void {
  const sunX = sun.x * width;
  const sunY = sun.y * height;
  const radius = sun.radius * height;
  for (let y = 0, at = 0; y < height; y++) {
    const [red, green, blue] = mix(skyTop, skyLow, Math.min(1, (y / height) * 1.5));
    for (let x = 0; x < width; x++, at += 3) {
      const distance = Math.sqrt((x - sunX) ** 2 + (y - sunY) ** 2);
      const disc = Math.min(1, Math.max(0, radius - distance + 0.5));
      const glow = 0.55 / (1 + (distance / (radius * 1.8)) ** 2);
      const light = Math.max(disc, glow);
      rgb[at] = red + (sun.color[0] - red) * light;
      rgb[at + 1] = green + (sun.color[1] - green) * light;
      rgb[at + 2] = blue + (sun.color[2] - blue) * light;
    }
  }
}

/** Far hills take the colour of the sky, and each is paler at its foot, where the mist lies. */
function drawHill({ width, height, rgb }: Picture, scene: Scene, layer: number): void {
  const hill = scene.hills[layer];
  if (hill === undefined) return;
  const nearness = (layer + 1) / scene.hills.length;
  const crest = mix(scene.skyLow, scene.near, 0.25 + 0.7 * nearness);
  const foot = mix(crest, scene.skyLow, 0.35 * (1.15 - nearness));
  for (let x = 0; x < width; x++) {
    const top = ridge(hill, x / height) * height;
    for (let y = Math.max(0, Math.floor(top)); y < height; y++) {
      const cover = Math.min(1, y + 1 - top);
      const [red, green, blue] = fade(crest, foot, (y - top) / (height * 0.28));
      const at = (y * width + x) * 3;
      rgb[at] = blend(rgb[at], red, cover);
      rgb[at + 1] = blend(rgb[at + 1], green, cover);
      rgb[at + 2] = blend(rgb[at + 2], blue, cover);
    }
  }
}

function ridge({ base, waves }: Hill, x: number): number {
  return waves.reduce(
    (sum, { height, turns, phase }) => sum + height * Math.sin(x * turns * 2 * Math.PI + phase),
    base,
  );
}

function fade(crest: Rgb, foot: Rgb, share: number): Rgb {
  return mix(crest, foot, Math.min(1, Math.max(0, share)));
}

function blend(under: number | undefined, over: number, cover: number): number {
  return (under ?? 0) + (over - (under ?? 0)) * cover;
}
