import { expect } from 'chai';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import {
  decodePDFRawStream,
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFName,
  PDFRawStream,
  type PDFObject,
  type PDFString,
} from 'pdf-lib';
import { facturX } from '../../src/documents/e-invoice-attachment.js';
import { eInvoiceXml } from '../../src/documents/e-invoice-xml.js';
import { loadFonts } from '../../src/documents/fonts.js';
import { renderInvoicePdf } from '../../src/documents/render-pdf.js';
import { eInvoiceOf } from '../../src/domain/e-invoice.js';
import { invoiceView } from './invoice.js';
import { account, issued } from './issued-invoice.js';
import { pdfText } from './pdf-text.js';

const fonts = loadFonts();
const document = eInvoiceOf(issued({ lines: [{ unit: 1000 }] }), { creditedInvoiceNumber: '', account });
const xml = eInvoiceXml(document ?? expect.fail('no electronic invoice'), 'de');
const customer = { ...invoiceView().customer, name: '山田太郎 สมชาย', company: 'مرحبا' };
const hybrid = async (profile: 'en16931' | 'xrechnung' = 'en16931') =>
  renderInvoicePdf(invoiceView({ customer, language: 'de' }), fonts, { profile, xml });

async function read(file: Buffer) {
  const { context, catalog } = await PDFDocument.load(file, { updateMetadata: false });
  const all = context.enumerateIndirectObjects().map(([, object]) => object);
  const dictionaries = all.flatMap((object) =>
    object instanceof PDFDict ? [object] : object instanceof PDFRawStream ? [object.dict] : [],
  );
  const textOf = (object: PDFObject | undefined) =>
    Buffer.from(decodePDFRawStream(object as PDFRawStream).decode()).toString('utf8');
  const metadata = textOf(catalog.lookup(PDFName.of('Metadata')));
  return { context, catalog, dictionaries, textOf, metadata };
}

const named = (dictionary: PDFDict, name: string) => dictionary.lookup(PDFName.of(name));

describe('an electronic invoice in its PDF (PDF/A-3b, Factur-X)', function () {
  this.timeout(60_000);

  it('attaches the XML as an alternative of the pages, by name and to the document', async () => {
    const { catalog, textOf } = await read(await hybrid());
    const [fileSpec, ...others] = (named(catalog, 'AF') as PDFArray)
      .asArray()
      .map((ref) => catalog.context.lookup(ref) as PDFDict);
    expect(others).to.deep.equal([]);
    if (!fileSpec) throw new Error('nothing is attached');
    expect(named(fileSpec, 'AFRelationship')).to.equal(PDFName.of('Alternative'));
    for (const name of ['F', 'UF']) expect((named(fileSpec, name) as PDFString).decodeText()).to.equal('factur-x.xml');
    const file = (named(fileSpec, 'EF') as PDFDict).lookup(PDFName.of('F')) as PDFRawStream;
    expect(named(file.dict, 'Subtype')).to.equal(PDFName.of('text/xml'));
    expect((named(file.dict, 'Params') as PDFDict).has(PDFName.of('ModDate'))).to.equal(true);
    expect(textOf(file)).to.equal(xml);
    const names = (named(catalog, 'Names') as PDFDict).lookup(PDFName.of('EmbeddedFiles')) as PDFDict;
    expect((named(names, 'Names') as PDFArray).lookup(1)).to.equal(fileSpec);
  });

  for (const [profile, name, level, version] of [
    ['en16931', 'factur-x.xml', 'EN 16931', '1.0'],
    ['xrechnung', 'xrechnung.xml', 'XRECHNUNG', '3.0'],
  ] as const) {
    it(`says in its metadata that it is PDF/A-3b, and what is attached: ${name}`, async () => {
      const { metadata } = await read(await hybrid(profile));
      expect(XMLValidator.validate(metadata.replace(/<\?xpacket[^>]*>/g, '').trim())).to.equal(true);
      const parser = new XMLParser({ removeNSPrefix: true, parseTagValue: false });
      const descriptions = (parser.parse(metadata) as { xmpmeta: { RDF: { Description: Record<string, unknown>[] } } })
        .xmpmeta.RDF.Description;
      const all = Object.assign({}, ...descriptions) as Record<string, unknown>;
      expect(all).to.include({ part: '3', conformance: 'B' });
      expect(all).to.include({
        DocumentType: 'INVOICE',
        DocumentFileName: name,
        ConformanceLevel: level,
        Version: version,
      });
      expect(facturX[profile].fileName).to.equal(name);
      expect(metadata)
        .to.include('urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#')
        .and.include('pdfaExtension:schemas');
      for (const property of ['DocumentFileName', 'DocumentType', 'Version', 'ConformanceLevel'])
        expect(metadata).to.include(`<pdfaProperty:name>${property}<`);
      expect(metadata).to.include('Rechnung INV-000042');
    });
  }

  it('names its colours by an output intent with a profile', async () => {
    const { catalog } = await read(await hybrid());
    const intent = (named(catalog, 'OutputIntents') as PDFArray).lookup(0) as PDFDict;
    expect(named(intent, 'S')).to.equal(PDFName.of('GTS_PDFA1'));
    const profile = intent.lookup(PDFName.of('DestOutputProfile')) as PDFRawStream;
    expect(Buffer.from(decodePDFRawStream(profile).decode()).subarray(36, 40).toString()).to.equal('acsp');
  });

  it('embeds every font', async () => {
    const { dictionaries } = await read(await hybrid());
    const descriptors = dictionaries.filter((one) => named(one, 'Type') === PDFName.of('FontDescriptor'));
    const simple = dictionaries.filter((one) =>
      /^\/(?:Type1|TrueType|CIDFontType[02])$/.test(String(named(one, 'Subtype'))),
    );
    expect(simple).to.have.length.above(4);
    expect(descriptors).to.have.length(simple.length);
    for (const one of simple) expect(named(one, 'FontDescriptor')).to.be.instanceOf(PDFDict);
    for (const one of descriptors)
      expect(['FontFile2', 'FontFile3'].some((name) => one.has(PDFName.of(name)))).to.equal(true);
  });

  it('writes nothing that PDF/A forbids: scripts, actions, encryption, transparency', async () => {
    const file = await hybrid();
    expect(file.toString('latin1')).to.match(/^%PDF-1\.7\n%[\x80-\xff]{4}/);
    const { context, dictionaries } = await read(file);
    expect(context.trailerInfo.ID).to.be.instanceOf(PDFArray);
    expect(context.trailerInfo.Encrypt).to.equal(undefined);
    for (const one of dictionaries)
      for (const name of ['JS', 'JavaScript', 'OpenAction', 'AA', 'SMask', 'LZWDecode'])
        expect(one.has(PDFName.of(name)), name).to.equal(false);
    expect(dictionaries.filter((one) => ['ca', 'CA'].some((name) => one.has(PDFName.of(name))))).to.deep.equal([]);
  });

  it('prints the same pages as without', async () => {
    const plain = await renderInvoicePdf(invoiceView({ customer, language: 'de' }), fonts);
    expect(await pdfText(await hybrid())).to.equal(await pdfText(plain));
    expect(plain.includes('factur-x')).to.equal(false);
  });

  it('writes the same file twice, below the bound of a mail', async () => {
    const [first, second] = [await hybrid(), await hybrid()];
    expect(first.equals(second)).to.equal(true);
    expect(first.length).to.be.below(262_144);
  });
});
