// Writes src/generated/api.ts from the gateway's route table. Run it with `npm run gen:client`, which compiles both first.
import { readFileSync, writeFileSync } from 'node:fs';
import { createDocument } from '../../../gateway/dist/src/openapi/document.js';
import { documentedRoutes } from '../../../gateway/dist/src/routes/index.js';
import { printApi } from '../dist/src/generate/print-api.js';

const file = new URL('../src/generated/api.ts', import.meta.url);
const text = printApi(createDocument(documentedRoutes));
const isCurrent = readFileSync(file, 'utf8') === text;
if (!isCurrent) writeFileSync(file, text);
process.stdout.write(`packages/client/src/generated/api.ts ${isCurrent ? 'is as it should be' : 'is written anew'}\n`);
