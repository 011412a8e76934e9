import type { WatchedFile } from '../../exporter/prometheus/watched-recordings.ts';
import { headroomVersion } from '../../model/version.ts';
import { printable } from '../../report/printable.ts';

const mostFiles = 500;

/** `/`: what is here, for a person who looks. */
export function indexPage(source: string, files: readonly WatchedFile[]): string {
  const rows = files.slice(0, mostFiles).map(row).join('\n');
  const more = files.length > mostFiles ? `<p>and ${files.length - mostFiles} more</p>` : '';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>headroom</title>
<style>body{font:16px/1.5 system-ui;margin:2rem}td,th{text-align:left;padding-right:2rem}</style>
<h1>headroom ${headroomVersion}</h1>
<p><a href="/metrics">/metrics</a> for Prometheus &middot; <a href="/healthz">/healthz</a></p>
<h2>${text(source)}</h2>
<table>
<tr><th>recording</th><th>state</th><th>session</th></tr>
${rows}
</table>
${more}
</html>
`;
}

function row({ path, state, sessionId }: WatchedFile): string {
  return `<tr><td>${text(path)}</td><td>${state}</td><td>${text(sessionId ?? '')}</td></tr>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

function text(value: string): string {
  return printable(value).replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
