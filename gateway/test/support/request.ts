import { request as httpRequest } from 'node:http';

export interface TestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Undefined: empty. */
  readonly body: { data?: unknown; meta?: Record<string, unknown>; error?: TestError };
}

export interface TestError {
  readonly code: string;
  readonly message: string;
  readonly details: Record<string, unknown>;
}

export interface TestRequest {
  readonly method?: string;
  readonly token?: string;
  readonly json?: unknown;
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
}

/** As written: no path normalisation, no added headers but Host and Content-Length. */
export async function send(base: string, path: string, options: TestRequest = {}): Promise<TestResponse> {
  const { hostname, port } = new URL(base);
  const headers: Record<string, string> = { ...options.headers };
  const body = options.json === undefined ? options.body : JSON.stringify(options.json);
  if (options.token !== undefined) headers['authorization'] = `Bearer ${options.token}`;
  if (options.json !== undefined) headers['content-type'] ??= 'application/json';
  if (body !== undefined) headers['content-length'] = `${Buffer.byteLength(body)}`;
  const method = options.method ?? (body === undefined ? 'GET' : 'POST');
  return new Promise((resolve, reject) => {
    const request = httpRequest({ hostname, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('latin1');
        const isJson = response.headers['content-type']?.startsWith('application/json') === true;
        const parsed = isJson && text !== '' ? (JSON.parse(Buffer.concat(chunks).toString()) as object) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: parsed });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
