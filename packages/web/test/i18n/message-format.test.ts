import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { IntlMessageFormat } from 'intl-messageformat';
import { createI18n, type Locale } from '../../src/i18n/i18n.js';
import { MessageFormat } from '../../src/i18n/message-format.js';

const directory = fileURLToPath(new URL('../../../src/i18n/texts', import.meta.url));
const counts = [0, 1, 2, 3, 11, 99, 100, 12_345];

describe('the format of texts', () => {
  it('fills values into a text', () => {
    expect(new MessageFormat('{a} and {b}', 'en').format({ a: 'x', b: 2 })).to.equal('x and 2');
  });

  it('chooses the plural of the language, with the number in it', () => {
    const text = '{count, plural, =0 {nothing of {what}} one {# {what}} other {# {what}s}}';
    const format = new MessageFormat(text, 'en');
    const formatted = [0, 1, 1234].map((count) => format.format({ count, what: 'line' }));
    expect(formatted).to.deep.equal(['nothing of line', '1 line', '1,234 lines']);
  });

  it('keeps the direction of names and commands inside of right-to-left text, and numbers as they are', () => {
    const text = '{name} ← {command} ({count})';
    const values = { name: 'Zoë [1]', command: '/say hi!', count: 3 };
    expect(new MessageFormat(text, 'ar').format(values)).to.equal('\u2068Zoë [1]\u2069 ← \u2068/say hi!\u2069 (3)');
    expect(new MessageFormat(text, 'de').format(values)).to.equal('Zoë [1] ← /say hi! (3)');
    expect(new MessageFormat('{name}', 'ar').format({ name: '' })).to.equal('');
  });

  it('keeps the direction of sizes inside of right-to-left text', () => {
    const bytes = (locale: Locale) => createI18n(locale, {}, () => undefined).bytes(1536);
    expect(bytes('ar')).to.match(/^\u2068.*KiB\u2069$/);
    expect(bytes('en')).to.equal('1.5 KiB');
  });

  it('refuses what it does not understand', () => {
    const texts = ['{', '}', '{a, select, x {y}}', '{a, plural, one {y}}', '{a, plural, one {y} other {z}', 'a } b'];
    for (const text of texts) expect(() => new MessageFormat(text, 'en'), text).to.throw(SyntaxError);
  });

  it('writes every text as the whole ICU syntax has it', () => {
    const different: string[] = [];
    let compared = 0;
    for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.json'),
    )) {
      const locale = /(\w+)\.json$/.exec(file)?.[1] ?? 'en';
      const texts = JSON.parse(readFileSync(path.join(directory, file), 'utf8')) as Record<string, string>;
      for (const [key, text] of Object.entries(texts)) {
        const names = [...text.matchAll(/\{(\w+)[,}]/g)].map(([, name = '']) => name);
        const whole = new IntlMessageFormat(text, locale, undefined, { ignoreTag: true });
        const own = new MessageFormat(text, locale);
        for (const count of names.length === 0 ? [0] : counts) {
          const values = Object.fromEntries(names.map((name) => [name, count]));
          compared += 1;
          if (own.format(values) !== whole.format(values)) different.push(`${file} ${key}`);
        }
      }
    }
    expect(different).to.deep.equal([]);
    expect(compared).to.be.greaterThan(1_000);
  });
});
