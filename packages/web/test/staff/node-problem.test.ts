import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { createI18n } from '../../src/i18n/i18n.js';
import { staffTexts } from '../../src/i18n/texts/staff/staff-texts.js';
import { nodeProblemText } from '../../src/staff/node-problem.js';

const reference = readFileSync(new URL('../../../../../docs/rest-api.md', import.meta.url), 'utf8');
const [, listed = ''] = /`problem` \(a stable word for it: ([^;]+);/.exec(reference) ?? [];
const words = [...listed.matchAll(/`([a-z_]+)`/g)].map(([, word = '']) => word);

describe('what is wrong with a node', () => {
  for (const locale of ['en', 'de', 'ar'] as const) {
    it(`writes a sentence of its own for every documented word, in ${locale}`, async () => {
      const i18n = createI18n(locale, await staffTexts.loaders[locale](), () => undefined);
      const texts = words.map((word) => nodeProblemText(word, i18n));
      expect(words.length).to.be.greaterThan(10);
      expect(new Set([...texts, nodeProblemText('of_a_newer_panel', i18n)]).size).to.equal(words.length + 1);
      expect(nodeProblemText(null, i18n)).to.equal(nodeProblemText('of_a_newer_panel', i18n));
    });
  }
});
