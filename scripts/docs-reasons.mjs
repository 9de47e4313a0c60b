// npm run docs:reasons: writes the table of all reasons into docs/rest-api.md, from gateway/src/openapi/reasons.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = fileURLToPath(new URL('..', import.meta.url));
const documentPath = path.join(root, 'docs', 'rest-api.md');
const begin = '<!-- reasons: npm run docs:reasons -->';
const end = '<!-- end of reasons -->';

/** The document with the tables as they should be. */
async function printDocument() {
  const module = new URL('../gateway/dist/src/openapi/reasons/index.js', import.meta.url);
  const { reasonGroups } = await import(module.href);
  const text = readFileSync(documentPath, 'utf8');
  const [before, rest = ''] = text.split(begin);
  const [, after] = rest.split(end);
  if (after === undefined) throw new Error(`docs/rest-api.md has no ${begin} … ${end}`);
  const tables = Object.entries(reasonGroups).map(([title, reasons]) => tableOf(title, reasons));
  const printed = [before, begin, '\n\n', tables.join('\n'), '\n', end, after].join('');
  return format(printed, { ...(await resolveConfig(documentPath)), parser: 'markdown' });
}

function tableOf(title, reasons) {
  const rows = Object.entries(reasons).map(
    ([name, { status, meaning, advice }]) => `| \`${name}\` | ${status} | ${meaning} | ${advice} |`,
  );
  const head = ['| `details.reason` | Status | Meaning | What a client does |', '| --- | --- | --- | --- |'];
  return [`${title}:`, '', ...head, ...rows, ''].join('\n');
}

const text = await printDocument();
if (!process.argv.includes('--check')) writeFileSync(documentPath, text);
else if (readFileSync(documentPath, 'utf8') !== text) {
  process.stderr.write('the reasons in docs/rest-api.md are out of date: run npm run docs:reasons\n');
  process.exitCode = 1;
}
