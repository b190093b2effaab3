/** The frame of the few pages that the server writes itself: no script, no file, only words and forms. */
export const plainFrame = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 3rem auto; padding: 0 1rem; }
label { display: block; margin: 1rem 0; }
input { display: block; width: 100%; box-sizing: border-box; font: inherit; padding: 0.4rem; }
button { font: inherit; padding: 0.4rem 1.2rem; }
.problem { color: #a00; }
</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? "");
