/** What a page of the server may do: its own script and style, and ask the server. Nothing inline. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/** The page of the server. All that it shows is asked for by its script. */
export function pageHtml(): string {
  return documentHtml({
    head: '<link rel="stylesheet" href="/page.css">',
    end: '<script src="/page.js"></script>',
  });
}

/** The frame that the page and the file share; `head` and `end` are HTML. */
export function documentHtml({ head, end }: { head: string; end: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<link rel="icon" href="data:,">
<title>headroom</title>
</head>
<body>
<div id="page"><noscript>This page is drawn by a script.</noscript></div>
${end}
</body>
</html>
`;
}
