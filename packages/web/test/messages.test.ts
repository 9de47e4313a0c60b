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
const codeOf = (isWanted: (name: string) => boolean): string =>
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && isWanted(name))
    .map((name) => readFileSync(path.join(source, name), 'utf8'))
    .join('\n');
const code = codeOf(() => true);
const english = read('en');
const keys = Object.keys(english);

/** Of the kit; the type knows no values. */
const fieldReasons = [
  ...readFileSync(path.join(source, '../../kit/src/errors/field-problem.ts'), 'utf8').matchAll(/^ {2}\| '([a-z_]+)'/gm),
].map(([, name = '']) => name);

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

  it('explains every reason of the API, every exhausted limit and every rule of a field', () => {
    const documented = readFileSync(path.join(source, '../../../docs/rest-api.md'), 'utf8');
    const reasons = [...documented.matchAll(/^\| `([a-z0-9_]+)` +\| (?:400|401|403|409|503) +\| .* \| /gm)].map(
      ([, name = '']) => name,
    );
    const codes = new Set(['bad_request', 'unauthorized', 'forbidden', 'conflict', 'service_unavailable']);
    const [limitTable = ''] = /^\| `details\.limit`(?:.*\|\n)+/m.exec(documented) ?? [];
    const limits = [...limitTable.matchAll(/^\| `([a-z_]+)` /gm)].map(([, name = '']) => name);
    expect(reasons.length).to.be.greaterThan(100);
    const missing = reasons.filter((name) => !codes.has(name) && !(`reason.${name}` in english));
    expect(missing).to.deep.equal([]);
    expect(limits).to.have.lengthOf.at.least(8);
    expect(limits.filter((name) => !(`exhausted.${name}` in english))).to.deep.equal([]);
    expect(fieldReasons.filter((name) => !(`problem.${name}` in english))).to.deep.equal([]);
  });

  it('shows what the panel says in English as a detail only', () => {
    const shown = codeOf((name) => !name.startsWith('schedules/'));
    const bare = [
      ...shown.matchAll(/<(\w+)[^<>]*>\s*\{(?:\w+\.)?(?:\w*_error|status_reason|warning|error)(?:\}<| \?\? )/g),
    ];
    const titles = [...shown.matchAll(/title=\{(?:\w*_error|status_reason|warning|error)\b/g)];
    expect(bare.filter(([, tag]) => tag !== 'PanelWords').map(([text]) => text)).to.deep.equal([]);
    expect(titles.map(([text]) => text)).to.deep.equal([]);
    expect(bare).to.have.lengthOf.at.least(5);
  });

  it('names every file that a backup takes its patterns from, in each language', () => {
    const scan = readFileSync(path.join(source, '../../../services/files/src/backups/storage/scan-tree.ts'), 'utf8');
    const names = [...scan.matchAll(/'(\.\w+ignore)'/g)].map(([, name = '']) => name);
    expect(names).to.have.lengthOf(2);
    for (const locale of ['en', 'de', 'ar']) {
      for (const name of names) expect(read(locale)['field.ignored-hint'], locale).to.contain(name);
    }
  });

  for (const locale of ['en', 'de', 'ar']) {
    it(`uses the plural forms of ${locale} in every text that counts`, () => {
      const categories = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
      const counting = Object.entries(read(locale)).filter(([, text]) => text.includes(', plural,'));
      expect(counting.length).to.be.greaterThan(10);
      const lacking = counting.filter(([, text]) => !categories.every((name) => text.includes(` ${name} {`)));
      expect(lacking.map(([key]) => key)).to.deep.equal([]);
    });
  }

  it('counts in Arabic wherever English does', () => {
    const arabic = read('ar');
    const counting = keys.filter((key) => english[key]?.includes(', plural,'));
    expect(counting.filter((key) => !arabic[key]?.includes(', plural,'))).to.deep.equal([]);
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
