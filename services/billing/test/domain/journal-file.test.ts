import { expect } from 'chai';
import type { JournalEntry } from '../../src/domain/journal.js';
import { journalFile } from '../../src/domain/journal-file.js';

const at = new Date('2026-01-31T23:30:00Z');
const entry: JournalEntry = {
  id: 'credits:e',
  kind: 'credits',
  at,
  userId: 'u',
  currency: 'JPY',
  documentId: 'e',
  text: 'thanks;=HYPERLINK(1)',
  lines: [
    { account: 'promotion', amountMinor: 500 },
    { account: 'credits:e', amountMinor: -500 },
  ],
};
const options = { month: '2026-01', end: at, timezone: 'Europe/Berlin', datev: null, now: at };

describe('a journal file', () => {
  it('writes a row an account, days of the seller, digits of the currency, and no formula of a note', () => {
    const note = `"thanks;'=HYPERLINK(1)"`;
    expect(journalFile('csv', options)?.textOf(entry)).to.equal(
      `2026-02-01,credits:e,credits,${note},u,promotion,500,,JPY\r\n2026-02-01,credits:e,credits,${note},u,credits:e,,500,JPY\r\n`,
    );
  });

  it('refuses DATEV without its settings', () => {
    expect(journalFile('datev', options)).to.equal(null);
  });
});
