import { type Exchange, readBody } from './exchange.ts';
import { HttpProblem } from './problem.ts';

/** A JSON object of which nothing is known yet. */
export type JsonBody = Readonly<Record<string, unknown>>;

const largestBytes = 24 * 2 ** 20;

/** The body as an object; an empty one is `{}`. 400 and 413. */
export async function readJson(exchange: Exchange): Promise<JsonBody> {
  const text = (await readBody(exchange, largestBytes)).toString('utf8');
  if (text.trim() === '') return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    // What it was is not repeated: it may hold a secret.
    throw new HttpProblem(
      400,
      `the body is not JSON (${error instanceof Error ? error.name : ''})`,
    );
  }
  if (!isObject(body)) throw new HttpProblem(400, 'the body is not a JSON object');
  return body;
}

/** null and absent are the same in all of these: SDKs send either. */
export function textField(body: JsonBody, name: string): string | null {
  return textOf(body[name] ?? null, name);
}

function textOf(value: unknown, name: string): string | null {
  if (value === null) return null;
  if (typeof value !== 'string') throw new HttpProblem(400, `${name} must be a string`);
  if (value.includes('\0')) throw new HttpProblem(400, `${name} must not hold a NUL`);
  return value;
}

export function requiredText(body: JsonBody, name: string): string {
  const value = textField(body, name);
  if (value === null || value === '') throw new HttpProblem(400, `${name} required`);
  return value;
}

export function switchField(body: JsonBody, name: string): boolean | null {
  const value = body[name] ?? null;
  if (value === null) return null;
  if (typeof value !== 'boolean') throw new HttpProblem(400, `${name} must be true or false`);
  return value;
}

export function integerField(
  body: JsonBody,
  name: string,
  range: { min: number; max: number },
): number | null {
  const value = body[name] ?? null;
  if (value === null) return null;
  if (!Number.isSafeInteger(value) || Number(value) < range.min || Number(value) > range.max) {
    throw new HttpProblem(400, `${name} must be a whole number, ${range.min} to ${range.max}`);
  }
  return Number(value);
}

export function textList(body: JsonBody, name: string): readonly string[] {
  const value = body[name] ?? [];
  if (!Array.isArray(value)) throw new HttpProblem(400, `${name} must be a list of strings`);
  return value.map((item: unknown, index) => textOf(item ?? null, `${name}[${index}]`) ?? '');
}

export function textMap(body: JsonBody, name: string): Readonly<Record<string, string>> {
  const value = body[name] ?? {};
  if (!isObject(value)) throw new HttpProblem(400, `${name} must be an object of strings`);
  return Object.fromEntries(
    Object.keys(value).map((key) => {
      if (key === '' || /[=\0]/.test(key)) throw new HttpProblem(400, `${name} has a bad name`);
      return [key, textOf(value[key] ?? null, `${name}.${key}`) ?? ''];
    }),
  );
}

export function objectField(body: JsonBody, name: string): JsonBody | null {
  const value = body[name] ?? null;
  if (value === null) return null;
  if (!isObject(value)) throw new HttpProblem(400, `${name} must be an object`);
  return value;
}

function isObject(value: unknown): value is JsonBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
