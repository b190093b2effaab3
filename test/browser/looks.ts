/**
 * What is wrong with how a page looks as it stands: words that are too near to their ground (4.5:1, or 3:1 for large ones), a page
 * that scrolls sideways, buttons of several rows that are called the same, and code that runs below its button. Runs in the browser.
 */
export const looks = `(() => {
  const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
    .getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const colorOf = (text) => {
    if (known.has(text)) return known.get(text);
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = text;
    context.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data;
    known.set(text, { parts: [red, green, blue], alpha: alpha / 255 });
    return known.get(text);
  };
  const over = ({ parts, alpha }, ground) => parts.map((part, at) => part * alpha + ground[at] * (1 - alpha));
  const light = (parts) => {
    const [red, green, blue] = parts.map((part) =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  // What stands behind an element and how much of it is seen, once for each: pages have thousands of words.
  const seen = new Map([[null, { ground: [255, 255, 255], opacity: 1 }]]);
  const behind = (element) => {
    const of = seen.get(element);
    if (of !== undefined) return of;
    const before = behind(element.parentElement);
    const { backgroundColor, opacity } = getComputedStyle(element);
    const ground = over(colorOf(backgroundColor), before.ground);
    seen.set(element, { ground, opacity: before.opacity * Number(opacity) });
    return seen.get(element);
  };
  const faults = [];
  const judge = (element, color, words) => {
    // What cannot be used is quiet on purpose, and what only screen readers see has no colour.
    if (element.closest(":disabled, [aria-disabled=true], [data-disabled], .mantine-VisuallyHidden-root")) return;
    const { ground, opacity } = behind(element);
    const ink = colorOf(color);
    const text = over({ ...ink, alpha: ink.alpha * opacity }, ground);
    const [more, less] = [light(text), light(ground)].sort((one, other) => other - one);
    const { fontSize, fontWeight } = getComputedStyle(element);
    const isLarge = parseFloat(fontSize) >= 24 || (parseFloat(fontSize) >= 18.66 && Number(fontWeight) >= 700);
    const ratio = (more + 0.05) / (less + 0.05);
    if (ratio < (isLarge ? 3 : 4.5)) faults.push(ratio.toFixed(2) + ":1: " + words.trim().slice(0, 60));
  };
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const element = text.parentElement;
    if (text.data.trim() === "" || element.closest("script, style, noscript") || !isShown(element)) continue;
    const { color, fill } = getComputedStyle(element);
    judge(element, element.closest("svg") ? fill : color, text.data);
  }
  for (const field of document.querySelectorAll("[placeholder]")) {
    if (field.value === "" && isShown(field))
      judge(field, getComputedStyle(field, "::placeholder").color, field.placeholder);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push("it scrolls sideways");
  for (const table of document.querySelectorAll("table")) {
    const rows = [...table.tBodies].flatMap(({ rows }) => [...rows]);
    const names = rows.flatMap((row) => [
      ...new Set([...row.querySelectorAll("button")].filter(isShown).map((one) => one.ariaLabel || one.textContent)),
    ]);
    const twice = names.filter((name, at) => names.indexOf(name) !== at);
    if (twice.length > 0) faults.push("buttons of several rows are called " + [...new Set(twice)].join(", "));
  }
  for (const code of document.querySelectorAll("pre")) {
    const { right, top, bottom } = code.getBoundingClientRect();
    for (const button of code.parentElement.querySelectorAll("button")) {
      const place = button.getBoundingClientRect();
      if (place.left < right && place.top < bottom && place.bottom > top) faults.push("code runs below its button");
    }
  }
  return faults;
})()`;
