import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A running server of the demo's pages. */
export interface DemoPages {
  /** One address per page, each of its own site, so that Chromium gives each its own renderer. */
  urls: readonly string[];
  close(): Promise<void>;
}

/** Of the page that keeps what it allocates. */
export interface Growth {
  mibPerSecond: number;
  /** Where it stops. */
  mostMib: number;
}

// A leak that a report shows and a machine without a limit survives.
export const harmlessGrowth: Growth = { mibPerSecond: 2, mostMib: 256 };

/** Serves the pages on the loopback address only, on a port that is free. */
export async function servePages(growth: Growth = harmlessGrowth): Promise<DemoPages> {
  const bodies: Readonly<Record<string, string>> = { ...pages, growing: growingPage(growth) };
  const server = createServer((request, response) => {
    const site = request.headers.host?.split('.')[0] ?? '';
    const body = bodies[site];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(body === undefined ? '' : page(site, body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    urls: tabs.map((site) => `http://${site}.localhost:${port}/`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * The tabs that are opened; `widget` is the site inside of `frame`. The one that grows is the last: what
 * is behind others a browser holds back.
 */
const tabs = ['text', 'table', 'canvas', 'frame', 'growing'];

const pages: Readonly<Record<string, string>> = {
  text: `<h1>Text</h1>${'<p>A page of text, the lightest there is.</p>'.repeat(40)}`,

  table: `<h1>Many elements</h1><table></table><script>
    const table = document.querySelector('table');
    for (let row = 0; row < 2000; row += 1) {
      const line = table.insertRow();
      for (let column = 0; column < 10; column += 1) line.insertCell().textContent = row * column;
    }
    setInterval(() => { table.rows[Date.now() % 2000].cells[0].textContent = Date.now(); }, 200);
  </script>`,

  canvas: `<h1>Canvas</h1><canvas width="1600" height="1200"></canvas><script>
    const context = document.querySelector('canvas').getContext('2d');
    setInterval(() => {
      context.fillStyle = 'hsl(' + (Date.now() / 20) % 360 + ' 80% 50%)';
      context.fillRect(Math.random() * 1600, Math.random() * 1200, 200, 200);
    }, 50);
  </script>`,

  frame: `<h1>A frame of another site</h1><iframe width="600" height="300"></iframe><script>
    document.querySelector('iframe').src = 'http://widget.localhost:' + location.port + '/';
  </script>`,

  widget: '<h1>Widget</h1><p>From another site than the page around it.</p>',
};

// By the clock and not by its timer, which a busy machine delays.
function growingPage({ mibPerSecond, mostMib }: Growth): string {
  return `<h1>Memory grows</h1><output></output><script>
    const kept = [];
    setInterval(() => {
      const wanted = Math.min(${mostMib}, ${mibPerSecond} * performance.now() / 1000);
      while (kept.length < wanted) kept.push(new Uint8Array(2 ** 20).fill(kept.length + 1));
      document.querySelector('output').textContent = kept.length + ' MiB kept';
    }, 100);
  </script>`;
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>${body}</html>`;
}
