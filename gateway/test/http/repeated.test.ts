import { expect } from 'chai';
import { isRepeated, repeated, repeatedJson } from '../../src/http/repeated.js';

describe('repeated parts of answers', () => {
  it('are only those that were noted', () => {
    const noted = repeated({ a: 1 });
    expect([noted, { a: 1 }, null, 'text', undefined].map(isRepeated)).to.deep.equal([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it('are written as any other JSON, once', () => {
    const part = { name: 'ü "quoted"', at: null, list: [1, { b: true }] };
    const text = repeatedJson(repeated(part));
    expect(text).to.equal(JSON.stringify(part));
    part.name = 'never seen';
    expect(repeatedJson(repeated(part))).to.equal(text);
  });
});
