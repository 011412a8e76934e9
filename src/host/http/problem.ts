/** Something a client asked for that cannot be: becomes the status and `{ code, message }`. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }

  get code(): string {
    return codes.get(this.status) ?? 'internal_error';
  }
}

const codes: ReadonlyMap<number, string> = new Map([
  [400, 'bad_request'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [409, 'conflict'],
  [413, 'too_large'],
  [429, 'too_many'],
  [504, 'timed_out'],
]);
