import { once } from 'node:events';
import { inflateSync } from 'node:zlib';
import { expect } from 'chai';
import PDFDocument from 'pdfkit';
import { fontsFor, loadFonts } from '../../src/documents/fonts.js';
import { renderInvoicePdf } from '../../src/documents/render-pdf.js';
import { invoiceView } from './invoice.js';
import { pdfText } from './pdf-text.js';

const fonts = loadFonts();

/** Of all texts on the pages, in hexadecimal. */
function glyphIds(file: Buffer): string[] {
  const streams = file.toString('latin1').matchAll(/\/FlateDecode[^>]*>>\s*stream\r?\n([^]*?)endstream/g);
  const contents = [...streams].map(([, content = '']) =>
    inflateSync(Buffer.from(content, 'latin1')).toString('latin1'),
  );
  return contents
    .filter((content) => /\bTJ\b/.test(content))
    .flatMap((content) => [...content.matchAll(/\[([^\]]*)\]\s*TJ/g)])
    .flatMap(([, shown = '']) => [...shown.matchAll(/<([0-9a-f]+)>/g)])
    .flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? []);
}

async function print(name: string, country = '') {
  const customer = { ...invoiceView().customer, name, country };
  return renderInvoicePdf(invoiceView({ customer }), fonts);
}

const slicesOf = async (text: string, country: string) =>
  (await fontsFor(text, country, fonts)).regular
    .slice(fonts.regular.length)
    .map(({ name }) => /noto-sans-(\w+)-/.exec(name)?.[1]);

describe('characters of a PDF', function () {
  this.timeout(60_000);

  for (const [name, country] of [
    ['山田太郎', 'JP'],
    ['やまだ タロウ', ''],
    ['สมชาย', 'TH'],
    ['ผู้ใหญ่ กลิ่น', ''],
    ['김철수', 'KR'],
    ['王小明', 'CN'],
    ['王小明', ''],
    ['陳美麗', 'TW'],
    ['株式会社〒（全角）', 'JP'],
  ] as const) {
    it(`prints ${name}${country && ` in ${country}`}`, async () => {
      const file = await print(name, country);
      expect(await pdfText(file)).to.include(name);
      const ids = glyphIds(file);
      expect(ids).to.have.length.above(200);
      expect(ids).not.to.include('0000');
    });
  }

  it('finds a glyph that a font has not as 0000', async () => {
    const document = new PDFDocument({ font: null as never });
    const chunks: Buffer[] = [];
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.font(fonts.regular[0]?.data ?? expect.fail('no font')).text('A漢Z');
    document.end();
    await once(document, 'end');
    expect(glyphIds(Buffer.concat(chunks))).to.include('0000');
  });

  it('prints a question mark where no font has the character', async () => {
    const file = await print('A𓀀Z');
    expect(await pdfText(file)).to.include('A?Z');
    expect(glyphIds(file)).not.to.include('0000');
  });

  it('prints a question mark for what a slice names and has not', async () => {
    for (const character of ['\ufe0f', '\ue000']) {
      const text = await pdfText(await print(`A${character}Z`));
      expect(text, JSON.stringify(character)).to.include('A?Z');
    }
  });

  it('shapes Han characters as in the country of the customer, else as the script beside them', async () => {
    expect(await slicesOf('直', 'JP')).to.deep.equal(['jp']);
    expect(await slicesOf('直', 'TW')).to.deep.equal(['tc']);
    expect(await slicesOf('直', 'KR')).to.deep.equal(['kr']);
    expect(await slicesOf('直', 'DE')).to.deep.equal(['sc']);
    expect(await slicesOf('直', 'constructor')).to.deep.equal(['sc']);
    expect(new Set(await slicesOf('直のカ', ''))).to.deep.equal(new Set(['jp']));
    expect(new Set(await slicesOf('直김', ''))).to.deep.equal(new Set(['kr']));
  });

  it('loads no slice for alphabets', async () => {
    expect(await slicesOf('Zażółć Иван Γιώργος राम שלום مرحبا', 'JP')).to.deep.equal([]);
  });

  it('embeds what is printed alone: a name adds some kilobytes', async () => {
    const [plain, japanese] = [await print('Ada'), await print('山田太郎', 'JP')];
    expect(japanese.length - plain.length).to.be.below(10_000);
  });

  it('prints the same file from slices twice', async () => {
    expect((await print('山田太郎')).equals(await print('山田太郎'))).to.equal(true);
  });

  it('stays within 1,000 characters from slices, the rest a question mark, in bounded time and memory', async () => {
    const name = Array.from({ length: 5_000 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
    const before = process.memoryUsage().rss;
    const started = performance.now();
    const set = await fontsFor(name, 'CN', fonts);
    const has = (index: number) => set.regular.some((font) => font.has(0x4e00 + index));
    expect([has(0), has(999), has(1_000), has(4_999)]).to.deep.equal([true, true, false, false]);
    expect(performance.now() - started).to.be.below(20_000);
    expect(process.memoryUsage().rss - before).to.be.below(200 * 1024 * 1024);
  });
});
