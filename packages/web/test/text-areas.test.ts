import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { expect } from 'chai';

const source = fileURLToPath(new URL('../../src', import.meta.url));
const code = new Map(
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => [name, readFileSync(path.join(source, name), 'utf8')]),
);
const texts = path.join(source, 'i18n/texts');
const areas = readdirSync(texts).filter((area) => area !== 'common');
const keysOf = (area: string) =>
  Object.keys(JSON.parse(readFileSync(path.join(texts, area, 'en.json'), 'utf8')) as Record<string, string>);

function importsOf(file: string): string[] {
  const specifiers = [...(code.get(file) ?? '').matchAll(/(?:from|import) ?\(?'(\.[^']+)\.js'/g)];
  return specifiers.flatMap(([, specifier = '']) => {
    const target = path.join(path.dirname(file), specifier);
    return [`${target}.ts`, `${target}.tsx`].filter((name) => code.has(name));
  });
}

/** From main.tsx, except through modules that add the area's texts. */
function reachedWithout(area: string): string[] {
  const reached = new Set(['main.tsx']);
  for (const file of reached) {
    for (const next of importsOf(file)) if (!code.get(next)?.includes(`/${area}-texts.js'`)) reached.add(next);
  }
  return [...reached];
}

describe('the areas of texts', () => {
  for (const area of areas) {
    it(`adds the texts of ${area} above every module that shows them`, () => {
      const keys = keysOf(area);
      const reached = reachedWithout(area);
      expect(reached.length).to.be.greaterThan(50);
      const missing = reached.flatMap((file) =>
        keys.filter((key) => code.get(file)?.includes(`'${key}'`)).map((key) => `${file}: ${key}`),
      );
      expect(missing).to.deep.equal([]);
    });
  }
});
