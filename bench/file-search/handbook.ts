// Generated documents: pages of a handbook about the machines of a harbour. They are all of one pattern, so that a search has to
// tell them apart by what they are about, and they are the same in every run.

const NAMES =
  "Orland Pellin Tarsk Velmo Quist Harrow Denby Skarn Luthe Mirrow Calder Fenwick Stroud Abbot Gannet Ripley Torrin Wexcombe Ashby Brennick Corvane Dallow Ecton Farley Gresham Holme Inver Jessop Kelham Lorne Morden Nesbit Oakham Penrose Quarley Rowan Selby Thorne Ulver Varden Wilmot Yarrow Zennor Alder Birch Cobble Drift Ember".split(
    " ",
  );
const KINDS = ["pump", "crane", "winch", "compressor", "conveyor", "dredger"];
const TEAMS = ["the harbour team", "the night shift", "the electricians", "the divers", "the workshop", "the pilots"];
const FLUIDS = ["mineral oil", "sea water", "glycol", "rape-seed oil", "diesel", "distilled water"];
const REASONS = [
  "because salt settles on its seals",
  "because sand wears its bearings down",
  "since its gaskets shrink in the cold",
  "since barnacles narrow its intake",
  "because its brushes burn off",
  "since its belt stretches under load",
];
const WARNINGS = [
  "Never open the housing while the warning lamp is lit.",
  "The lower hatch swings outwards; stand to the left of it.",
  "Two people carry the cover; it weighs more than it looks.",
  "Let it cool for a quarter of an hour before touching the valve.",
  "Wear gloves: the edge of the tray is sharp.",
  "Close the sluice first, or the pit fills within minutes.",
];

const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;

export interface HandbookPage {
  readonly file: string;
  readonly text: string;
  readonly questions: readonly { readonly question: string; readonly passage: string }[];
}

/** So many pages; each has a question about one of its facts, in other words than the page's where that is natural. */
export function handbook(pages: number): HandbookPage[] {
  return Array.from({ length: pages }, (_, at) => {
    const name = pick(NAMES, at);
    const kind = pick(KINDS, at + Math.floor(at / NAMES.length));
    const weeks = 3 + ((at * 7) % 40);
    const part = `${String.fromCharCode(65 + (at % 26))}-${100 + ((at * 37) % 900)}`;
    const interval = `is serviced every ${weeks} weeks by ${pick(TEAMS, at * 5 + 1)}`;
    const filter = `Its filter is part ${part}`;
    const fluid = `is filled with ${pick(FLUIDS, at * 3 + 2)}`;
    const built = `was built in ${1950 + ((at * 11) % 70)}`;
    const text = `# The ${name} ${kind}

The ${name} ${kind} stands at quay ${1 + (at % 9)} and ${built}. It lifts or moves ${10 + ((at * 13) % 90)} tonnes an hour on a calm day.

## Maintenance

The ${name} ${kind} ${interval}, ${pick(REASONS, at * 2)}. ${filter}, of which three lie in the store at all times.

## Operation

The ${name} ${kind} ${fluid} up to the red mark. ${pick(WARNINGS, at)} After a storm it runs empty for ten minutes before it takes any load.
`;
    const asked = [
      { question: `How often does the ${name} ${kind} get its service?`, passage: interval },
      { question: `Which part number has the filter of the ${name} ${kind}?`, passage: filter },
      { question: `What fluid goes into the ${name} ${kind}?`, passage: fluid },
      { question: `When was the ${name} ${kind} constructed?`, passage: built },
    ];
    return { file: `${name.toLowerCase()}-${kind}.md`, text, questions: [pick(asked, at)] };
  });
}
