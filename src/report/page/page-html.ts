import { createHash } from 'node:crypto';
import type { PageBundle } from './page-bundle.ts';

/** A page and what it may do: what stands in it, known by its hashes, and nothing else. */
export interface BoundPage {
  html: string;
  /** Its Content-Security-Policy. */
  policy: string;
}

/**
 * The page of the server, whole in one answer: what it shows is asked for by its script, of which
 * nothing has to be fetched first.
 */
export function servedPage(bundle: PageBundle): BoundPage {
  return {
    html: documentHtml({ head: '', bundle, data: '' }),
    policy: policyOf(bundle, ["connect-src 'self'", "frame-ancestors 'none'"]),
  };
}

/** The same page as a file, with its data (JSON) in it. */
export function filePage(bundle: PageBundle, data: string): string {
  const policy = policyOf(bundle, []);
  return documentHtml({
    head: `<meta http-equiv="content-security-policy" content="${policy}">`,
    bundle,
    data: `<script type="application/json" id="page-data">${data.replaceAll('<', '\\u003c')}</script>`,
  });
}

function policyOf({ script, style }: PageBundle, more: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    ...more,
  ].join('; ');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** The frame that both share; `head` and `data` are HTML. */
function documentHtml(parts: { head: string; bundle: PageBundle; data: string }): string {
  const { head, bundle, data } = parts;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${head}
<style>${bundle.style}</style>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<link rel="icon" href="data:,">
<title>headroom</title>
</head>
<body>
<div id="page"><noscript>This page is drawn by a script.</noscript></div>
${data}
<script>${bundle.script}</script>
</body>
</html>
`;
}
