import { escapeHtml } from "../../lib/html.ts";

/** The frame of the few pages that the server writes itself: no script, no file, only words and forms. */
export const plainFrame = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 3rem auto; padding: 0 1rem;
  background: light-dark(#f6f8f7, #101514); color: light-dark(#121716, #d8dfde); }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1rem; margin: 1.6rem 0 0.4rem; }
label { display: block; margin: 1rem 0; font-weight: 550; }
input { display: block; width: 100%; box-sizing: border-box; font: inherit; font-weight: 400; padding: 0.5rem 0.6rem;
  margin-top: 0.25rem; border: 1px solid light-dark(#8a9795, #6d7a79); border-radius: 8px; background: light-dark(#fff, #1a2120);
  color: inherit; }
button { font: inherit; font-weight: 550; padding: 0.5rem 1.2rem; border: 0; border-radius: 8px; background: #0f6b6b; color: #fff;
  cursor: pointer; }
button.second { background: none; color: inherit; box-shadow: inset 0 0 0 1px light-dark(#8a9795, #6d7a79); }
a { color: light-dark(#0f6b6b, #76bfbb); }
dt { color: light-dark(#5b6864, #9aa7a5); }
dd { margin: 0 0 0.8rem; overflow-wrap: anywhere; }
.mark { background: #b45309; color: #fff; padding: 0.5rem 1rem; border-radius: 8px; font-weight: 550; }
.choices form { display: inline-block; margin: 0.25rem 0.25rem 0 0; }
.problem { color: light-dark(#b01e1e, #ff9a9a); }
</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`;
