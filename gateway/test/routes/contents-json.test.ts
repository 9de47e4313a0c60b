import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { ContentsJson } from '../../src/routes/files/contents-json.js';
import { fileContents } from '../../src/routes/files/resource.js';

const kibibyte = 1024;

/** As it comes, in pieces of this size, and read by a client. */
function contentsOf(bytes: Buffer, pieceBytes: number) {
  const json = new ContentsJson();
  for (let from = 0; from < bytes.length; from += pieceBytes) json.add(bytes.subarray(from, from + pieceBytes));
  const text = Buffer.concat([...json.pieces('/a', { modifyTime: new Date(0) })]).toString();
  const { data } = JSON.parse(text) as { readonly data: unknown };
  return fileContents.parse(data);
}

describe('contents of a file as JSON', () => {
  it('holds text as it is, wherever it is cut', () => {
    const text = 'a "quoted" line\r\n\u0000\ufeff grüße 🎮 \u2028';
    const bytes = Buffer.from(text);
    for (let pieceBytes = 1; pieceBytes <= bytes.length; pieceBytes += 1) {
      const contents = contentsOf(bytes, pieceBytes);
      expect([contents.content, contents.encoding, contents.size]).to.deep.equal([text, 'utf-8', bytes.length]);
    }
  });

  it('holds other bytes in base64', () => {
    for (const bytes of [randomBytes(500 * kibibyte), Buffer.from([0xff]), Buffer.from('cut: \xc3', 'latin1')]) {
      const { content, encoding, sha256 } = contentsOf(bytes, 64 * kibibyte);
      expect(encoding).to.equal('base64');
      expect(Buffer.from(content, 'base64').equals(bytes)).to.equal(true);
      expect(sha256).to.equal(createHash('sha256').update(bytes).digest('hex'));
    }
  });

  it('holds an empty file', () => {
    expect(contentsOf(Buffer.alloc(0), 1)).to.include({ content: '', encoding: 'utf-8', size: 0 });
  });

  it('comes in pieces, of text and of other bytes', () => {
    const piece = 256 * kibibyte;
    for (const bytes of [Buffer.alloc(4 * kibibyte ** 2, '0123456789"\n'), randomBytes(4 * kibibyte ** 2)]) {
      const json = new ContentsJson();
      for (let from = 0; from < bytes.length; from += piece) json.add(bytes.subarray(from, from + piece));
      const lengths = [...json.pieces('/a', { modifyTime: new Date(0) })].map(({ length }) => length);
      expect(lengths.length).to.be.greaterThan(16);
      expect(Math.max(...lengths)).to.be.below(piece * 1.5);
    }
  });
});
