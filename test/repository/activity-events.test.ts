import { expect } from 'chai';
import { filesBelow, readText } from './files.js';

/*
 * The registry of packages/activity and what records, names and describes its events agree. That a service records no other
 * event is checked by the compiler.
 */

const registry = 'packages/activity/src/events.ts';
const texts = 'packages/web/src/i18n/texts/activity/en.json';

/** What a source records: whole names, and the beginnings of names that it puts together. */
function namesIn(text: string): { readonly whole: string[]; readonly beginnings: string[] } {
  const found = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name ?? '');
  return { whole: found(/'([a-z-]+:[a-z.-]+)'/g), beginnings: found(/`([a-z-]+:[a-z.-]+\.)\$\{/g) };
}

describe('activity events', () => {
  const registered = namesIn(readText(registry)).whole;
  const sources = filesBelow('services', '.ts').filter((file) => /^services\/[^/]+\/src\//.test(file));
  const recorded = sources.map((file) => namesIn(readText(file)));
  const isRecorded = (name: string) =>
    recorded.some(
      ({ whole, beginnings }) => whole.includes(name) || beginnings.some((beginning) => name.startsWith(beginning)),
    );

  it('registers each event once, and a service records it', () => {
    expect(registered.length).to.be.greaterThan(100);
    expect(registered.filter((name, at) => registered.indexOf(name) !== at)).to.deep.equal([]);
    expect(registered.filter((name) => !isRecorded(name))).to.deep.equal([]);
  });

  it('registers every event that the web console has words for', () => {
    const words = Object.keys(JSON.parse(readText(texts)) as Record<string, string>);
    const named = words.filter((key) => key.startsWith('event.')).map((key) => key.slice('event.'.length));
    expect(named.filter((name) => !registered.includes(name))).to.deep.equal([]);
  });
});
