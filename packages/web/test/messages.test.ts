import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { expect } from 'chai';

const source = fileURLToPath(new URL('../../src', import.meta.url));
const texts = path.join(source, 'i18n/texts');
const areas = readdirSync(texts);
const readArea = (area: string, name: string) =>
  JSON.parse(readFileSync(path.join(texts, area, `${name}.json`), 'utf8')) as Record<string, string>;
const read = (name: string): Record<string, string> =>
  Object.assign({}, ...areas.map((area) => readArea(area, name))) as Record<string, string>;
const code = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(path.join(source, name), 'utf8'))
  .join('\n');
const english = read('en');
const keys = Object.keys(english);

/** An event's name, a status, an error code. */
const prefixes = [...code.matchAll(/`([a-z.-]+[.-])\$\{/g)].map(([, prefix = '']) => prefix);

describe('the texts of the web console', () => {
  it('contains a text for every key in the code', () => {
    const used = [...code.matchAll(/\bt\(\s*'([^']+)'|label: '([a-z][\w-]*\.[\w-]+)'/g)].map(
      ([, a, b]) => a ?? b ?? '',
    );
    expect(used.length).to.be.greaterThan(50);
    expect(used.filter((key) => !(key in english))).to.deep.equal([]);
  });

  it('keeps each text in one area', () => {
    const names = areas.flatMap((area) => Object.keys(readArea(area, 'en')));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
  });

  it('uses every text', () => {
    const unused = keys.filter(
      (key) => !code.includes(`'${key}'`) && !prefixes.some((prefix) => key.startsWith(prefix)),
    );
    expect(unused).to.deep.equal([]);
  });

  for (const locale of ['de', 'ar']) {
    it(`finds the same texts in ${locale} as in English, area by area`, () => {
      for (const area of areas)
        expect(Object.keys(readArea(area, locale)), area).to.have.members(Object.keys(readArea(area, 'en')));
    });

    it(`takes the same values in ${locale} as in English`, () => {
      const names = (text: string) =>
        [...new Set([...text.matchAll(/\{(\w+)[,}]/g)].map(([, name = '']) => name))].sort((a, b) =>
          a.localeCompare(b),
        );
      const translated = read(locale);
      const different = Object.keys(translated).filter(
        (key) => names(translated[key] ?? '').join() !== names(english[key] ?? '').join(),
      );
      expect(different).to.deep.equal([]);
      const formats = Object.values(translated).map(
        (text) => new IntlMessageFormat(text, locale, undefined, { ignoreTag: true }),
      );
      expect(formats.length).to.equal(Object.keys(translated).length);
    });
  }
});
