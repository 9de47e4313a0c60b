// npm run gen:client: writes src/generated/api.ts from the gateway's route table, and compiles what needs it.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url);
const file = new URL('packages/client/src/generated/api.ts', root);

// Compiled even where it does not fit its types: they are what is made again here.
compile('gateway', 'packages/client');
const { createDocument } = await import(new URL('gateway/dist/src/openapi/document.js', root).href);
const { documentedRoutes } = await import(new URL('gateway/dist/src/routes/index.js', root).href);
const { printApi } = await import(new URL('packages/client/dist/generate/print-api.js', root).href);

const text = printApi(createDocument(documentedRoutes));
const isCurrent = readFileSync(file, 'utf8') === text;
if (!isCurrent) writeFileSync(file, text);
process.stdout.write(`packages/client/src/generated/api.ts ${isCurrent ? 'is as it should be' : 'is written anew'}\n`);
process.exitCode = compile('packages/client');

function compile(...projects) {
  const compiler = fileURLToPath(new URL('node_modules/typescript/bin/tsc', root));
  const { status } = spawnSync(process.execPath, [compiler, '--build', ...projects], { cwd: root, stdio: 'inherit' });
  return status ?? 1;
}
