import { expect } from 'chai';
import { type QuarantinedTest, readQuarantine } from '../src/quarantine.js';

const maxDays = 30;
const dayMs = 86_400_000;

/** One line for each entry that is too old, of the future, there twice, or without a reason. */
function quarantineProblems(entries: readonly QuarantinedTest[], now: Date): string[] {
  const titles = entries.map(({ test }) => test);
  const twice = new Set(titles.filter((title, at) => titles.indexOf(title) !== at));
  const wrong = entries.filter(({ since }) => {
    const days = (now.getTime() - Date.parse(since)) / dayMs;
    return !(days >= 0 && days <= maxDays);
  });
  const unexplained = entries.filter(({ why }) => why.trim() === '');
  return [
    ...[...twice].map((title) => `${title}: twice`),
    ...wrong.map(({ test, since }) => `${test}: since ${since}`),
    ...unexplained.map(({ test }) => `${test}: no reason`),
  ];
}

describe('the quarantine of tests', () => {
  it('holds no test for longer than 30 days, and none twice', () => {
    expect(quarantineProblems(readQuarantine(), new Date())).to.deep.equal([]);
  });

  it('reports an entry that is too old, of the future, there twice or unexplained', () => {
    const entry = { test: 'a test', since: '2026-01-01', why: 'unknown' };
    expect(quarantineProblems([entry], new Date('2026-01-31'))).to.deep.equal([]);
    expect(quarantineProblems([entry], new Date('2026-02-01'))).to.deep.equal(['a test: since 2026-01-01']);
    expect(quarantineProblems([entry, entry], new Date('2026-01-02'))).to.deep.equal(['a test: twice']);
    expect(quarantineProblems([entry], new Date('2025-12-01'))).to.deep.equal(['a test: since 2026-01-01']);
    const undated = { test: 'a test', since: 'today', why: ' ' };
    expect(quarantineProblems([undated], new Date('2026-01-02'))).to.deep.equal([
      'a test: since today',
      'a test: no reason',
    ]);
  });
});
