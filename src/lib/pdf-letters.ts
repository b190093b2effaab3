/** Text in the letters that the fonts of a PDF have: one character for each code of WinAnsi. */
export interface Lettering {
  readonly text: string;
  /** By place in the text: whether it stands for a character that the fonts lack. */
  readonly isMarked: readonly boolean[];
}

/** What WinAnsi has at 128 to 159; a blank is a code that it leaves out. */
const SPECIALS = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
const SOFT_HYPHEN = 0xad;

/**
 * Nothing is left out: a character beyond WinAnsi becomes the nearest letters, or its number in brackets, and is marked.
 * What is no letter at all, such as a line end or what turns the direction of writing, can have no effect.
 */
export function toLetters(given: string): Lettering {
  let text = "";
  const isMarked: boolean[] = [];
  const add = (more: string, marked: boolean): void => {
    text += more;
    for (let at = 0; at < more.length; at++) isMarked.push(marked);
  };
  let numbers: string[] = [];
  const tellNumbers = (): void => {
    if (numbers.length > 0) add(`[${numbers.join(" ")}]`, true);
    numbers = [];
  };
  for (const character of given.replace(/\s+/g, " ").trim().normalize("NFC")) {
    const code = codeOf(character);
    const near = code === null ? nearestTo(character) : null;
    if (code === null && near === null) {
      numbers.push(`U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
      continue;
    }
    tellNumbers();
    add(near ?? String.fromCharCode(code ?? 0), near !== null);
  }
  tellNumbers();
  return { text, isMarked };
}

function codeOf(character: string): number | null {
  const code = character.codePointAt(0) ?? 0;
  if ((code >= 0x20 && code < 0x7f) || (code > 0xa0 && code <= 0xff && code !== SOFT_HYPHEN)) return code;
  const special = SPECIALS.indexOf(character);
  return special < 0 ? null : 0x80 + special;
}

/** The same without what stands above or below it, `Z` of `Ż`, or as it is written in Latin letters. */
function nearestTo(character: string): string | null {
  const small = character.toLowerCase();
  const known = NEAREST.get(small) ?? NEAREST.get(bare(small));
  const near = known === undefined ? bare(character) : small === character ? known : capitalized(known);
  const codes = Array.from(near, codeOf);
  return codes.length === 0 || codes.includes(null) ? null : String.fromCharCode(...codes.map(Number));
}

const bare = (character: string): string => character.normalize("NFKD").replace(/\p{M}/gu, "");
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Letters that are no other letter with something added. */
const NEAREST: ReadonlyMap<string, string> = new Map(
  (
    "ł l đ d ħ h ı i ŧ t ŋ n ə e " +
    "а a б b в v г g д d е e ё yo ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch " +
    "ъ ' ы y ь ' э e ю yu я ya і i ї yi є ye ґ g ў u ј j љ lj њ nj ћ c ђ d џ dz " +
    "α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o"
  )
    .split(" ")
    .reduce<[string, string][]>((pairs, word, at, all) => {
      if (at % 2 === 0) pairs.push([word, all[at + 1] ?? ""]);
      return pairs;
    }, []),
);
