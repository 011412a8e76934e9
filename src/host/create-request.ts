import {
  integerField,
  type JsonBody,
  objectField,
  switchField,
  textField,
  textMap,
} from './http/json-body.ts';
import { HttpProblem } from './http/problem.ts';
import { wantedCategories } from './telemetry/categories.ts';

/** What a client asks of a new session; what it may change later is in here as well. */
export interface CreateRequest {
  headless: boolean;
  stealth: boolean;
  timeoutSeconds: number;
  name: string | null;
  tags: Readonly<Record<string, string>>;
  startUrl: string | null;
  viewport: JsonBody | null;
  memory: MemoryTier;
  telemetry: JsonBody | null;
}

export interface MemoryTier {
  bytes: number;
  /** As the API writes it: `8GiB`. */
  label: string;
}

const gib = 2 ** 30;
const mostTags = 50;

/** Reads the body of `create`. Options without a meaning here are taken and left alone. */
export function createRequest(body: JsonBody): CreateRequest {
  const headless = switchField(body, 'headless') ?? false;
  return {
    headless,
    stealth: switchField(body, 'stealth') ?? false,
    timeoutSeconds: integerField(body, 'timeout_seconds', { min: 10, max: 259_200 }) ?? 60,
    name: nameField(body),
    tags: tagsField(body),
    startUrl: startUrlField(body),
    viewport: objectField(body, 'viewport'),
    memory: memoryTier(textField(body, 'memory'), headless),
    telemetry: telemetryField(body),
  };
}

/** What PATCH changes of a session; what is not named stays. */
export function updatedRequest(request: CreateRequest, body: JsonBody): CreateRequest {
  const has = (name: string) => body[name] !== undefined;
  return {
    ...request,
    name: has('name') ? nameField(body) : request.name,
    tags: has('tags') ? tagsField(body) : request.tags,
    viewport: has('viewport') ? objectField(body, 'viewport') : request.viewport,
    telemetry: has('telemetry') ? telemetryField(body) : request.telemetry,
  };
}

// Headless browsers have 1 GiB; with a screen 8, or 16 when it is asked for.
function memoryTier(memory: string | null, headless: boolean): MemoryTier {
  if (headless) {
    if (memory !== null && memory !== '1GiB') {
      throw new HttpProblem(400, 'memory: a headless browser has 1GiB');
    }
    return { bytes: gib, label: '1GiB' };
  }
  if (memory === null || memory === '8GiB') return { bytes: 8 * gib, label: '8GiB' };
  if (memory === '16GiB') return { bytes: 16 * gib, label: '16GiB' };
  throw new HttpProblem(400, 'memory must be 8GiB or 16GiB');
}

function nameField(body: JsonBody): string | null {
  const name = textField(body, 'name');
  if (name === null || name === '') return null;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(name)) {
    throw new HttpProblem(400, 'name: letters, digits, . _ and - only, 255 at most');
  }
  return name;
}

function tagsField(body: JsonBody): Readonly<Record<string, string>> {
  const tags = textMap(body, 'tags');
  if (Object.keys(tags).length > mostTags) throw new HttpProblem(400, 'tags: 50 at most');
  return tags;
}

function telemetryField(body: JsonBody): JsonBody | null {
  const telemetry = objectField(body, 'telemetry');
  // Said now, not when something happens.
  wantedCategories(telemetry);
  return telemetry;
}

function startUrlField(body: JsonBody): string | null {
  const url = textField(body, 'start_url');
  if (url === null || url === '') return null;
  if (/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) return url;
  throw new HttpProblem(400, 'start_url must be an http or https URL');
}
