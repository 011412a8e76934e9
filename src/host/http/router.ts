import type { Exchange } from './exchange.ts';

export type Handler = (exchange: Exchange) => Promise<void> | void;

/** `GET /browsers/{id}`: braces hold one segment of the path. */
export type Routes = Readonly<Record<string, Handler>>;

export interface Match {
  handler: Handler;
  params: Readonly<Record<string, string>>;
}

interface Route {
  method: string;
  segments: readonly string[];
  handler: Handler;
}

/** The handlers by method and path. A fixed segment goes before a parameter, in the order given. */
export class Router {
  readonly #routes: readonly Route[];

  constructor(routes: Routes) {
    this.#routes = Object.entries(routes).map(([pattern, handler]) => {
      const [method = '', path = ''] = pattern.split(' ');
      return { method, segments: segmentsOf(path), handler };
    });
  }

  /** `unknown`: there is no such path. `method`: there is, but not for this method. */
  match(method: string, path: string): Match | 'unknown' | 'method' {
    const segments = segmentsOf(path);
    let isKnown = false;
    for (const route of this.#routes) {
      const params = paramsOf(route.segments, segments);
      if (params === null) continue;
      if (route.method === method) return { handler: route.handler, params };
      isKnown = true;
    }
    return isKnown ? 'method' : 'unknown';
  }
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
}

function paramsOf(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== segment) return null;
      continue;
    }
    const value = decoded(segment);
    if (value === null || value === '') return null;
    params[part.slice(1, -1)] = value;
  }
  return params;
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
