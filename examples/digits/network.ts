import { asFloat32, float32, readSafetensors, type Tensors, writeSafetensors } from "../../sdk/typescript/src/index.ts";
import { SeededRandom } from "../../src/training/seeded-random.ts";
import type { Rows } from "./data.ts";

const [INPUTS, HIDDEN, OUTPUTS] = [64, 64, 10];

/** A network with one hidden layer of 64, trained by plain stochastic gradient descent. */
export class Network {
  private readonly hidden = new Float32Array(HIDDEN);
  private readonly scores = new Float32Array(OUTPUTS);
  private readonly back = new Float32Array(HIDDEN);

  private constructor(
    readonly w1: Float32Array,
    readonly b1: Float32Array,
    readonly w2: Float32Array,
    readonly b2: Float32Array,
  ) {}

  /** Everybody starts from the same one. */
  static fresh(seed: number): Network {
    const random = new SeededRandom(seed, "network");
    const layer = (size: number, inputs: number) =>
      Float32Array.from({ length: size }, () => random.gaussian() * Math.sqrt(2 / inputs));
    const [w1, w2] = [layer(INPUTS * HIDDEN, INPUTS), layer(HIDDEN * OUTPUTS, HIDDEN)];
    return new Network(w1, new Float32Array(HIDDEN), w2, new Float32Array(OUTPUTS));
  }

  static read(bytes: Uint8Array): Network {
    const tensors: Tensors = readSafetensors(bytes);
    const [w1, b1, w2, b2] = ["w1", "b1", "w2", "b2"].map((name) => {
      const tensor = tensors.get(name);
      if (tensor === undefined) throw new Error(`the model has no ${name}`);
      return asFloat32(tensor).slice();
    }) as [Float32Array, Float32Array, Float32Array, Float32Array];
    return new Network(w1, b1, w2, b2);
  }

  write(): Uint8Array {
    return writeSafetensors(
      new Map([
        ["w1", float32(this.w1, [HIDDEN, INPUTS])],
        ["b1", float32(this.b1)],
        ["w2", float32(this.w2, [OUTPUTS, HIDDEN])],
        ["b2", float32(this.b2)],
      ]),
    );
  }

  /** `epochs` passes over the rows in batches of ten. */
  train(rows: Rows, { rate, epochs, seed }: { rate: number; epochs: number; seed: string }): void {
    const random = new SeededRandom(seed);
    const order = Array.from(rows.labels, (_, at) => at);
    for (let epoch = 0; epoch < epochs; epoch++) {
      for (let at = order.length - 1; at > 0; at--) {
        const other = random.below(at + 1);
        [order[at], order[other]] = [order[other] as number, order[at] as number];
      }
      for (let at = 0; at < order.length; at += 10) this.step(rows, order.slice(at, at + 10), rate);
    }
  }

  accuracy(rows: Rows): number {
    let right = 0;
    for (let row = 0; row < rows.labels.length; row++) {
      this.forward(rows.pixels, row * INPUTS);
      if (this.scores.indexOf(Math.max(...this.scores)) === rows.labels[row]) right++;
    }
    return right / rows.labels.length;
  }

  private forward(pixels: Float32Array, start: number): void {
    for (let unit = 0; unit < HIDDEN; unit++) {
      let sum = this.b1[unit] as number;
      for (let pixel = 0; pixel < INPUTS; pixel++)
        sum += (this.w1[unit * INPUTS + pixel] as number) * (pixels[start + pixel] as number);
      this.hidden[unit] = sum > 0 ? sum : 0;
    }
    for (let digit = 0; digit < OUTPUTS; digit++) {
      let sum = this.b2[digit] as number;
      for (let unit = 0; unit < HIDDEN; unit++)
        sum += (this.w2[digit * HIDDEN + unit] as number) * (this.hidden[unit] as number);
      this.scores[digit] = sum;
    }
  }

  /** One batch: gradients of the cross entropy are gathered first, then taken off. */
  private step({ pixels, labels }: Rows, batch: readonly number[], rate: number): void {
    const size = rate / batch.length;
    const [d1, e1, d2, e2] = [this.w1, this.b1, this.w2, this.b2].map(({ length }) => new Float32Array(length)) as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    for (const row of batch) {
      this.forward(pixels, row * INPUTS);
      const most = Math.max(...this.scores);
      const powers = this.scores.map((score) => Math.exp(score - most));
      const total = powers.reduce((sum, power) => sum + power, 0);
      this.back.fill(0);
      for (let digit = 0; digit < OUTPUTS; digit++) {
        const error = (powers[digit] as number) / total - (labels[row] === digit ? 1 : 0);
        e2[digit] = (e2[digit] as number) + error;
        for (let unit = 0; unit < HIDDEN; unit++) {
          const at = digit * HIDDEN + unit;
          d2[at] = (d2[at] as number) + error * (this.hidden[unit] as number);
          this.back[unit] = (this.back[unit] as number) + error * (this.w2[at] as number);
        }
      }
      for (let unit = 0; unit < HIDDEN; unit++) {
        if (this.hidden[unit] === 0) continue;
        const error = this.back[unit] as number;
        e1[unit] = (e1[unit] as number) + error;
        for (let pixel = 0; pixel < INPUTS; pixel++) {
          const at = unit * INPUTS + pixel;
          d1[at] = (d1[at] as number) + error * (pixels[row * INPUTS + pixel] as number);
        }
      }
    }
    takeOff(this.w1, d1, size);
    takeOff(this.b1, e1, size);
    takeOff(this.w2, d2, size);
    takeOff(this.b2, e2, size);
  }
}

function takeOff(values: Float32Array, gradient: Float32Array, size: number): void {
  for (let at = 0; at < values.length; at++) values[at] = (values[at] as number) - size * (gradient[at] as number);
}
