import type { Stack } from './stack.js';

type Described = Pick<Stack, 'baseUrl' | 'sftp' | 'adminEmail' | 'adminPassword' | 'isPasswordGenerated' | 'dataDir'>;

export function describeReady(stack: Described, seconds: number): string {
  const api = `${stack.baseUrl}/api/v1`;
  const password = stack.isPasswordGenerated && stack.adminPassword !== undefined ? stack.adminPassword : undefined;
  const login = JSON.stringify({ email: stack.adminEmail, password: password ?? 'YOUR-PASSWORD' }).replaceAll(
    "'",
    "'\\''",
  );
  const token = `node -pe 'JSON.parse(require("fs").readFileSync(0)).data.access_token'`;
  const facts: [string, string][] = [
    ['console', `${stack.baseUrl}/`],
    ['SFTP', stack.sftp],
    ['address', api],
    ['documents', `${stack.baseUrl}/docs`],
    ['admin', stack.adminEmail],
    ...(password === undefined
      ? []
      : [['password', `${password}   (shown only this once)`] satisfies [string, string]]),
    ['logs', `${stack.dataDir}/logs`],
  ];
  return [
    '',
    `Ready after ${seconds.toFixed(1)} s.`,
    '',
    ...facts.map(([name, value]) => `  ${name.padEnd(10)} ${value}`),
    '',
    'Try:',
    `  TOKEN=$(curl -s ${api}/auth/login -H 'content-type: application/json' -d '${login}' | ${token})`,
    `  curl -s ${api}/account -H "authorization: Bearer $TOKEN"`,
    `  curl -s ${api}/admin/nests -H "authorization: Bearer $TOKEN"`,
    `  npm run demo`,
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n');
}
