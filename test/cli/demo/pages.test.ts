import { request } from 'node:http';
import { expect, test } from 'vitest';
import { servePages } from '../../../src/cli/demo/pages.ts';

test('each page is a site of its own, on the loopback address', async () => {
  const pages = await servePages();
  try {
    const sites = pages.urls.map((url) => new URL(url).hostname);
    expect(new Set(sites).size).toBe(5);
    for (const url of pages.urls) {
      const site = new URL(url).hostname.split('.')[0];
      expect(await get(url)).toEqual({
        status: 200,
        body: expect.stringContaining(`<title>${site}</title>`),
      });
    }
  } finally {
    await pages.close();
  }
});

test('a name that is no page is not found', async () => {
  const pages = await servePages();
  try {
    const { port } = new URL(pages.urls[0] ?? '');
    expect((await get(`http://elsewhere.localhost:${port}/`)).status).toBe(404);
  } finally {
    await pages.close();
  }
});

/** As a browser asks: the connection goes to the loopback address, the name into the request. */
function get(url: string): Promise<{ status: number | undefined; body: string }> {
  const { host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, headers: { host } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    call.on('error', reject);
    call.end();
  });
}
