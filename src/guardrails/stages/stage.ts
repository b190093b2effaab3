/** Text goes in in any pieces and comes out changed, with as little held back as can be; one for each text. */
export interface Stage {
  push(text: string): string | Promise<string>;
  /** The text has ended: what was held back. */
  end(): string | Promise<string>;
}

/** Several, one behind the other. No promise is made where none of them makes one. */
export function chain(stages: readonly Stage[]): Stage {
  return {
    push: (text) => through(stages, 0, text),
    end() {
      let index = 0;
      const endOne = (): string | Promise<string> => {
        let out = "";
        while (index < stages.length) {
          const stage = stages[index++] as Stage;
          const rest = index;
          const ended = stage.end();
          const passed = after(ended, (text) => (text === "" ? "" : through(stages, rest, text)));
          if (passed instanceof Promise) {
            const before = out;
            return passed.then(async (text) => before + text + (await endOne()));
          }
          out += passed;
        }
        return out;
      };
      return endOne();
    },
  };
}

function through(stages: readonly Stage[], first: number, text: string): string | Promise<string> {
  let piece = text;
  for (let index = first; index < stages.length; index++) {
    if (piece === "") return "";
    const next = (stages[index] as Stage).push(piece);
    if (next instanceof Promise) return next.then((later) => through(stages, index + 1, later));
    piece = next;
  }
  return piece;
}

const after = (
  value: string | Promise<string>,
  then: (text: string) => string | Promise<string>,
): string | Promise<string> => (value instanceof Promise ? value.then(then) : then(value));
