import type { RecordedCall } from './recorder.js';

const secretNames = /password|secret|token|code|private/i;
const longestText = 2_000;

/** Replaces secrets by their names. */
function withoutSecrets(value: unknown, name = ''): unknown {
  if (typeof value === 'string') {
    if (secretNames.test(name)) return `YOUR_${name.toUpperCase()}`;
    return value.length > longestText ? `${value.slice(0, longestText)}…` : value;
  }
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(item, key)]));
}

function addressOf({ path, params, query }: RecordedCall): string {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name.replaceAll('-', '_')] ?? `{${name}}`),
  );
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const search = new URLSearchParams(given).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** Only the single quote itself needs an escape. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

export function asCurl(call: RecordedCall, origin: string): string {
  const method = call.method === 'GET' ? '' : ` -X ${call.method}`;
  const lines = [`curl${method} ${quote(`${origin}/api/v1${addressOf(call)}`)}`, `-H "authorization: Bearer $TOKEN"`];
  if (call.body !== undefined) {
    lines.push(`-H 'content-type: application/json'`, `-d ${quote(JSON.stringify(withoutSecrets(call.body)))}`);
  }
  return lines.join(' \\\n  ');
}

/** As a program with the panel's client. */
export function asTypeScript(call: RecordedCall, origin: string): string {
  const { method, path, params, query, body } = call;
  const given = {
    ...(Object.keys(params).length > 0 ? { params } : {}),
    ...(Object.keys(query).length > 0 ? { query } : {}),
    ...(body === undefined ? {} : { body: withoutSecrets(body) }),
  };
  const options = Object.keys(given).length > 0 ? `, ${JSON.stringify(given, null, 2)}` : '';
  return [
    `import { createPanelClient } from '@panel/client';`,
    '',
    `const client = createPanelClient({ baseUrl: ${JSON.stringify(origin)}, token: process.env.TOKEN });`,
    `await client.${method.toLowerCase()}(${JSON.stringify(path)}${options});`,
  ].join('\n');
}
