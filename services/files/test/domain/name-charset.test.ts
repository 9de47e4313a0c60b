import { execFileSync } from 'node:child_process';
import { expect } from 'chai';
import { decodeName, detectCharset, type NameCharset } from '../../src/domain/name-charset.js';

/** By the C library. */
export function encode(text: string, charset: string): Buffer {
  return execFileSync('iconv', ['-f', 'UTF-8', '-t', charset], { input: text });
}

describe('charset of names', () => {
  const cases: readonly (readonly [NameCharset, string, readonly string[]])[] = [
    ['utf-8', 'UTF-8', ['größe.txt', 'ワールド/地図.dat']],
    ['cp437', 'CP437', ['Größe.txt', 'Übersicht/Fuß.cfg', 'läßt.dat']],
    ['cp437', 'CP437', ['Año nuevo.txt', 'déjà vu', 'Ålesund']],
    ['cp437', 'CP437', ['é.txt']],
    ['shift_jis', 'CP932', ['ワールド/地図.dat', 'テスト.txt']],
    ['shift_jis', 'CP932', ['新しいフォルダー/設定.txt']],
    ['shift_jis', 'CP932', ['日本語.txt', 'ソフト能力表.xls']],
    ['gbk', 'GBK', ['世界/地图.dat', '测试.txt']],
    ['gbk', 'GBK', ['新建文件夹/服务器配置.yml', '插件 说明.txt']],
  ];
  for (const [charset, encoder, names] of cases) {
    it(`finds ${charset} for ${names.join(', ')}`, () => {
      const bytes = names.map((name) => encode(name, encoder));
      expect(detectCharset(bytes)).to.equal(charset);
      expect(bytes.map((name) => decodeName(name, charset))).to.deep.equal(names);
    });
  }

  it('takes for CP437 what is nothing else, and makes no two names one', () => {
    const bytes = Array.from({ length: 128 }, (_, i) => Buffer.from([0x80 + i, 0x20]));
    expect(detectCharset(bytes)).to.equal('cp437');
    expect(new Set(bytes.map((name) => decodeName(name, 'cp437'))).size).to.equal(128);
    // two codes of one character
    const same = [Buffer.from('81ca', 'hex'), Buffer.from('eef9', 'hex')];
    expect(decodeName(same[0] ?? Buffer.alloc(0), 'shift_jis')).to.equal(
      decodeName(same[1] ?? Buffer.alloc(0), 'shift_jis'),
    );
    expect(detectCharset(same)).not.to.equal('shift_jis');
  });

  it('knows every character of the C library', () => {
    for (let byte = 0x80; byte <= 0xff; byte += 1) {
      expect(encode(decodeName(Buffer.from([byte]), 'cp437') ?? '', 'CP437')).to.deep.equal(Buffer.from([byte]));
    }
  });
});
