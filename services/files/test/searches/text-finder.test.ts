import { expect } from 'chai';
import fc from 'fast-check';
import { createTextFinder } from '../../src/searches/text-finder.js';

describe('finding text', () => {
  const find = (text: string, content: string) => createTextFinder(content)(Buffer.from(text));

  it('ignores case and takes the characters of patterns as they are', () => {
    expect(find('a\nSome (Text)?\nb', 'some (text)?')).to.deep.equal({ line: 2, text: 'Some (Text)?' });
    expect(find('a.c', 'ABC')).to.equal(null);
    expect(find('größe\nGRÖSSE', 'grösse')).to.deep.equal({ line: 2, text: 'GRÖSSE' });
  });

  it('finds letters beyond ASCII whose lower case is within it', () => {
    expect(find('273 k', '\u212a')).to.deep.equal({ line: 1, text: '273 k' });
    expect(find('273 \u212a', 'k')).to.deep.equal({ line: 1, text: '273 \u212a' });
  });

  it('finds the same in ASCII as in other texts', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'K', '.', '[', '\\', '\n', '$'), maxLength: 30 });
    const wanted = fc.string({ unit: fc.constantFrom('a', 'B', 'k', '.', '[', '\\', '$'), minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(letters, wanted, (text, content) => {
        const [ascii, other] = [find(text, content), find(`${text}\né`, content)];
        expect(ascii).to.deep.equal(other);
      }),
    );
  });
});
