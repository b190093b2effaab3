// Before the first paint, so that nothing flashes: the scheme that the person chose, else the system's.
(() => {
  const chosen = window.localStorage.getItem("mantine-color-scheme-value");
  const isDark = chosen === "dark" || (chosen !== "light" && window.matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", isDark ? "dark" : "light");
})();
