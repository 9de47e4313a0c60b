import { expect } from 'chai';
import { patchGlibcVersions } from '../src/elf.js';
import { isOlder } from '../src/native-library.js';

const iso = '__isoc23_strtol';

describe('patchGlibcVersions', () => {
  it('maps a C23 symbol to its older equivalent and makes the missing version weak', () => {
    const library = tinyLibrary([iso, 'fmod', 'puts']);
    const copy = patchGlibcVersions(library, '2.36');
    expect(symbolsOf(copy)).to.deep.equal([
      { name: 'strtol', version: 2 },
      { name: 'fmod', version: 2 },
      { name: 'puts', version: 2 },
    ]);
    expect(copy.readUInt16LE(weakFlagAt(library))).to.equal(2);
  });

  it('keeps the original file', () => {
    const library = tinyLibrary([iso]);
    const before = Buffer.from(library);
    patchGlibcVersions(library, '2.36');
    expect(library.equals(before)).to.equal(true);
  });

  it('changes nothing with a recent glibc', () => {
    const library = tinyLibrary([iso]);
    expect(patchGlibcVersions(library, '2.38').equals(library)).to.equal(true);
  });

  it('throws for a symbol without an older equivalent', () => {
    expect(() => patchGlibcVersions(tinyLibrary(['strlcpy']), '2.36')).to.throw('strlcpy');
    expect(() => patchGlibcVersions(tinyLibrary(['__isoc23_wcstol']), '2.36')).to.throw('__isoc23_wcstol');
  });

  it('refuses a file that is not a library', () => {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(200), Buffer.from('#!/bin/sh\n'.repeat(20))]) {
      expect(() => patchGlibcVersions(bytes, '2.36')).to.throw('not a shared library');
    }
  });

  it('compares versions by number', () => {
    expect(isOlder('2.9', '2.36')).to.equal(true);
    expect(isOlder('2.36', '2.36')).to.equal(false);
    expect(isOlder('2.40', '2.38')).to.equal(false);
  });
});

/* Only .dynstr, .dynsym, .gnu.version, .gnu.version_r. All names but `puts` are of glibc 2.38. */
function tinyLibrary(names: readonly string[]): Buffer {
  const texts = ['', 'libc.so.6', 'GLIBC_2.38', 'GLIBC_2.2.5', ...names];
  const strings = Buffer.from(`${texts.join('\0')}\0`, 'latin1');
  const at = (text: string): number => texts.slice(0, texts.indexOf(text)).join('\0').length + (text === '' ? 0 : 1);
  const symbols = Buffer.alloc(24 * names.length);
  const labels = Buffer.alloc(2 * names.length);
  names.forEach((name, i) => {
    symbols.writeUInt32LE(at(name), i * 24);
    labels.writeUInt16LE(name === 'puts' ? 2 : 3, i * 2);
  });
  const need = Buffer.alloc(48);
  need.writeUInt16LE(1, 0);
  need.writeUInt16LE(2, 2);
  need.writeUInt32LE(at('libc.so.6'), 4);
  need.writeUInt32LE(16, 8);
  [
    { index: 3, name: 'GLIBC_2.38', next: 16 },
    { index: 2, name: 'GLIBC_2.2.5', next: 0 },
  ].forEach((aux, i) => {
    need.writeUInt16LE(aux.index, 16 + i * 16 + 6);
    need.writeUInt32LE(at(aux.name), 16 + i * 16 + 8);
    need.writeUInt32LE(aux.next, 16 + i * 16 + 12);
  });
  return assemble([
    { type: 3, body: strings, link: 0 },
    { type: 11, body: symbols, link: 0 },
    { type: 0x6fffffff, body: labels, link: 1 },
    { type: 0x6ffffffe, body: need, link: 0 },
  ]);
}

function assemble(parts: readonly { type: number; body: Buffer; link: number }[]): Buffer {
  const header = Buffer.alloc(64);
  header.write('\x7fELF\x02\x01', 'latin1');
  header.writeUInt16LE(62, 18);
  const table = 64 + parts.reduce((sum, part) => sum + part.body.length, 0);
  header.writeBigUInt64LE(BigInt(table), 40);
  header.writeUInt16LE(64, 58);
  header.writeUInt16LE(parts.length, 60);
  let offset = 64;
  const entries = parts.map(({ type, body, link }) => {
    const entry = Buffer.alloc(64);
    entry.writeUInt32LE(type, 4);
    entry.writeBigUInt64LE(BigInt(offset), 24);
    entry.writeBigUInt64LE(BigInt(body.length), 32);
    entry.writeUInt32LE(link, 40);
    offset += body.length;
    return entry;
  });
  return Buffer.concat([header, ...parts.map((part) => part.body), ...entries]);
}

function sectionAt(library: Buffer, index: number): { offset: number; size: number } {
  const at = Number(library.readBigUInt64LE(40)) + index * 64;
  return { offset: Number(library.readBigUInt64LE(at + 24)), size: Number(library.readBigUInt64LE(at + 32)) };
}

function symbolsOf(library: Buffer): { name: string; version: number }[] {
  const [strings, symbols, labels] = [0, 1, 2].map((index) => sectionAt(library, index));
  if (!strings || !symbols || !labels) throw new Error('no sections');
  return Array.from({ length: symbols.size / 24 }, (_, i) => {
    const nameAt = strings.offset + library.readUInt32LE(symbols.offset + i * 24);
    const name = library.toString('latin1', nameAt, library.indexOf(0, nameAt));
    return { name, version: library.readUInt16LE(labels.offset + i * 2) };
  });
}

function weakFlagAt(library: Buffer): number {
  return sectionAt(library, 3).offset + 16 + 4;
}
