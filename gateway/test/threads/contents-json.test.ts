import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { fileContents } from '../../src/routes/files/resource.js';
import { inTurns } from '../../src/routes/files/contents-reply.js';
import { contentsJson } from '../../src/threads/contents-json.js';

const kibibyte = 1024;
const facts = { path: '/a', modifiedAt: null };

/** As a client reads it. */
function contentsOf(bytes: Buffer) {
  const text = Buffer.concat([...contentsJson(bytes, facts)]).toString();
  const { data } = JSON.parse(text) as { readonly data: unknown };
  return fileContents.parse(data);
}

describe('contents of a file as JSON', () => {
  it('holds text as it is', () => {
    const text = 'a "quoted" line\r\n\u0000\ufeff grüße 🎮 \u2028';
    const bytes = Buffer.from(text);
    const contents = contentsOf(bytes);
    expect([contents.content, contents.encoding, contents.size]).to.deep.equal([text, 'utf-8', bytes.length]);
  });

  it('holds pairs of characters that lie in two pieces', () => {
    const text = `x${'🎮'.repeat(20 * kibibyte)}`;
    expect(contentsOf(Buffer.from(text)).content === text).to.equal(true);
  });

  it('holds other bytes in base64', () => {
    for (const bytes of [randomBytes(500 * kibibyte), Buffer.from([0xff]), Buffer.from('cut: \xc3', 'latin1')]) {
      const { content, encoding, sha256 } = contentsOf(bytes);
      expect(encoding).to.equal('base64');
      expect(Buffer.from(content, 'base64').equals(bytes)).to.equal(true);
      expect(sha256).to.equal(createHash('sha256').update(bytes).digest('hex'));
    }
  });

  it('holds an empty file', () => {
    expect(contentsOf(Buffer.alloc(0))).to.include({ content: '', encoding: 'utf-8', size: 0 });
  });

  it('comes in pieces, of text and of other bytes', () => {
    const piece = 256 * kibibyte;
    for (const bytes of [Buffer.alloc(4 * kibibyte ** 2, '0123456789"\n'), randomBytes(4 * kibibyte ** 2)]) {
      const lengths = [...contentsJson(bytes, facts)].map(({ length }) => length);
      expect(lengths.length).to.be.greaterThan(16);
      expect(Math.max(...lengths)).to.be.at.most(piece);
    }
  });

  it('gives other requests a turn after each piece, though all of them are there', async () => {
    const state = { turns: 0, hasEnded: false };
    const turn = () => {
      state.turns += 1;
      if (!state.hasEnded) setImmediate(turn);
    };
    setImmediate(turn);
    let bytes = 0;
    for await (const chunk of inTurns(contentsJson(Buffer.alloc(kibibyte ** 2, 1), facts))) bytes += chunk.length;
    state.hasEnded = true;
    expect(bytes).to.be.greaterThan(6 * kibibyte ** 2);
    expect(state.turns).to.be.at.least(64);
  });
});
