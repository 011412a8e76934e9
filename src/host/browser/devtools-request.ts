import { request } from 'node:http';
import { HeadroomError } from '../../model/errors.ts';

/**
 * One request to the HTTP end of Chromium's DevTools on this machine, as text. Not `fetch`, which
 * loads an HTTP client of its own for what is three requests. COMMAND_FAILED_TO_START when it is refused.
 */
export function devtoolsRequest(
  port: number,
  method: 'GET' | 'PUT',
  path: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, method, path, timeout: 10_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(body);
        else reject(refused(`${method} ${path}: status ${response.statusCode}, ${body}`));
      });
    });
    call.on('timeout', () => call.destroy(refused(`${method} ${path}: no answer in 10 s`)));
    call.on('error', reject);
    call.end();
  });
}

function refused(what: string): HeadroomError {
  return new HeadroomError(
    'COMMAND_FAILED_TO_START',
    `Chromium's DevTools on this machine: ${what}`,
  );
}
