import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { expect } from 'chai';

const source = fileURLToPath(new URL('../../src', import.meta.url));
const readFile = (name: string) =>
  JSON.parse(readFileSync(path.join(source, 'i18n', name), 'utf8')) as Record<string, string>;
/** The texts of all pages. Those that most visits do without are in files of their own. */
const read = (name: string) => ({
  ...readFile(`${name}.json`),
  ...readFile(`more.${name}.json`),
  ...readFile(`tools.${name}.json`),
});
const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(path.join(source, name), 'utf8'))
  .join('\n');
const english = read('en');
const keys = Object.keys(english);

/** Keys that are made from data: an event's name, a status, an error code. */
const prefixes = [...code.matchAll(/`([a-z.-]+[.-])\$\{/g)].map(([, prefix = '']) => prefix);

describe('the texts of the web console', () => {
  it('contains a text for every key in the code', () => {
    const used = [...code.matchAll(/\bt\(\s*'([^']+)'|label: '([a-z][\w-]*\.[\w-]+)'/g)].map(
      ([, a, b]) => a ?? b ?? '',
    );
    expect(used.length).to.be.greaterThan(50);
    expect(used.filter((key) => !(key in english))).to.deep.equal([]);
  });

  it('keeps the texts of each language in one file', () => {
    const names = ['en.json', 'more.en.json', 'tools.en.json'].flatMap((name) => Object.keys(readFile(name)));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });

  it('uses every text', () => {
    const unused = keys.filter(
      (key) => !code.includes(`'${key}'`) && !prefixes.some((prefix) => key.startsWith(prefix)),
    );
    expect(unused).to.deep.equal([]);
  });

  it('translates every text into German', () => {
    expect(Object.keys(read('de'))).to.have.members(keys);
  });

  it('translates no key into Arabic that English lacks, and all that every page shows', () => {
    const arabic = Object.keys(read('ar'));
    expect(arabic.filter((key) => !(key in english))).to.deep.equal([]);
    const everywhere = keys.filter((key) => /^(nav|action|power|sign-in|state|servers|console|wall|graph)\./.test(key));
    expect(everywhere.filter((key) => !arabic.includes(key))).to.deep.equal([]);
  });

  for (const locale of ['de', 'ar']) {
    it(`takes the same values in ${locale} as in English`, () => {
      const names = (text: string) =>
        [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map(([, name = '']) => name))].sort((a, b) =>
          a.localeCompare(b),
        );
      const texts = read(locale);
      const different = Object.keys(texts).filter(
        (key) => names(texts[key] ?? '').join() !== names(english[key] ?? '').join(),
      );
      expect(different).to.deep.equal([]);
      const formats = Object.values(texts).map(
        (text) => new IntlMessageFormat(text, locale, undefined, { ignoreTag: true }),
      );
      expect(formats.length).to.equal(Object.keys(texts).length);
    });
  }
});
