import { type CSSVariablesResolver, createTheme, type MantineColorsTuple, rem } from "@mantine/core";
import { giveFocusBack } from "./app/focus-return.ts";

/** A deep green-blue: quiet beside figures, and AA on both grounds. */
const pine: MantineColorsTuple = [
  "#e9f6f5",
  "#d3eae8",
  "#a6d5d2",
  "#76bfbb",
  "#4faca7",
  "#369f9a",
  "#0f7f7a",
  "#0f6b6b",
  "#0a5757",
  "#064445",
];

/** Greys with a little green in them, so that the ground and the colour belong together. */
const dark: MantineColorsTuple = [
  "#d3dad9",
  "#b6c0bf",
  "#93a09f",
  "#6d7a79",
  "#3d4846",
  "#2f3836",
  "#222a29",
  "#1a2120",
  "#141a19",
  "#0d1211",
];

const gray: MantineColorsTuple = [
  "#f7f9f8",
  "#eff2f1",
  "#e3e8e7",
  "#d3dad8",
  "#b9c2c0",
  "#93a09e",
  "#66736f",
  "#4a5652",
  "#323c39",
  "#1f2725",
];

export const theme = createTheme({
  colors: { pine, dark, gray },
  primaryColor: "pine",
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Code', 'DejaVu Sans Mono', Menlo, monospace",
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  headings: {
    fontWeight: "620",
    sizes: { h1: { fontSize: rem(26), lineHeight: "1.25" }, h2: { fontSize: rem(18) }, h3: { fontSize: rem(16) } },
  },
  components: {
    // In the middle of text a link is not told by its colour alone.
    Anchor: { defaultProps: { underline: "always" } },
    Alert: { styles: { title: { color: "var(--mantine-color-text)" } } },
    Badge: { defaultProps: { variant: "light", fw: 560 }, styles: { label: { textTransform: "none" } } },
    Card: {
      defaultProps: { withBorder: true, padding: "lg", radius: "md" },
      styles: { root: { background: "var(--turnpike-panel)", borderColor: "var(--turnpike-line)" } },
    },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.4, blur: 2 },
        onExitTransitionEnd: giveFocusBack,
      },
      styles: { title: { fontWeight: 620, lineHeight: 1.35, overflowWrap: "anywhere" } },
    },
    Drawer: {
      defaultProps: {
        position: "right",
        size: "lg",
        overlayProps: { backgroundOpacity: 0.3 },
        onExitTransitionEnd: giveFocusBack,
      },
      styles: { title: { fontWeight: 620, lineHeight: 1.35, overflowWrap: "anywhere" } },
    },
    // Without an empty thing in front of the entries, which no menu may have: the focus begins with the first of them.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true, multiline: true, maw: 340 } },
    Table: {
      defaultProps: {
        verticalSpacing: "sm",
        horizontalSpacing: "md",
        highlightOnHover: true,
        borderColor: "var(--turnpike-line)",
      },
    },
    // One that scrolls by itself leaves room for its bar below the last row, whether there is one or not.
    TableScrollContainer: { defaultProps: { type: "native" } },
    // Colours that fade when the scheme changes are unreadable on their way.
    SegmentedControl: { defaultProps: { transitionDuration: 0 } },
    Select: { defaultProps: { comboboxProps: { shadow: "md" } } },
  },
});

const COLORS = [
  "pine",
  "gray",
  "red",
  "pink",
  "grape",
  "violet",
  "indigo",
  "blue",
  "cyan",
  "teal",
  "green",
  "lime",
  "yellow",
  "orange",
];

/** Badges and notices: text on a ground of its own colour, quiet, and far enough from each other to be read. */
const tinted = (shade: number, percent: number, text: (name: string) => string): Record<string, string> =>
  Object.fromEntries(
    COLORS.flatMap((name) => [
      [`--mantine-color-${name}-light`, tint(name, shade, percent)],
      [`--mantine-color-${name}-light-hover`, tint(name, shade, percent + 6)],
      [`--mantine-color-${name}-light-color`, text(name)],
    ]),
  );
const tint = (name: string, shade: number, percent: number): string =>
  `color-mix(in srgb, var(--mantine-color-${name}-${shade}) ${percent}%, var(--turnpike-panel))`;

/** The ground is a little darker than what stands on it; dimmed text stays readable on both. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...tinted(5, 14, (name) => `color-mix(in srgb, var(--mantine-color-${name}-9) 60%, black)`),
    "--turnpike-ground": "#f6f8f7",
    "--turnpike-panel": "#ffffff",
    "--turnpike-line": "#e1e7e5",
    "--mantine-color-dimmed": "#5b6864",
    "--mantine-color-placeholder": "#6b7874",
    "--mantine-color-anchor": "#0f6b6b",
    "--mantine-color-error": "#c22727",
  },
  dark: {
    ...tinted(7, 24, (name) => `var(--mantine-color-${name}-2)`),
    "--turnpike-ground": "#101514",
    "--turnpike-panel": "#171e1d",
    "--turnpike-line": "#2a3432",
    "--mantine-color-body": "#171e1d",
    "--mantine-color-dimmed": "#9aa7a5",
    "--mantine-color-placeholder": "#8a9795",
    "--mantine-color-anchor": "#76bfbb",
    "--mantine-color-error": "#ff9a9a",
  },
});
