import PDFDocument from 'pdfkit';
import { type EInvoiceAttachment, facturX, facturXMetadata } from './e-invoice-attachment.js';
import type { DocumentFont } from './document-font.js';
import type { FontSet } from './fonts.js';
import type { QrCode } from './qr-code.js';
import { type Direction, directionOf, visualRuns, wrapLines } from './text-runs.js';

interface TextStyle {
  readonly sizePt: number;
  readonly isBold?: boolean;
  readonly align?: 'start' | 'end';
}

/** Of a page from left to right; mirrored on others. */
export interface Column {
  readonly x: number;
  readonly width: number;
  readonly align: 'start' | 'end';
}

interface PageInfo {
  readonly title: string;
  readonly createdAt: Date;
  readonly language: string;
  readonly direction: Direction;
  readonly eInvoice: EInvoiceAttachment | null;
}

interface Line {
  readonly text: string;
  /** Of its paragraph. */
  readonly direction: Direction;
}

const margin = 51;
const lineHeight = 1.4;

/** A4, filled from the top. */
export class PageWriter {
  readonly width: number;
  readonly left = margin;
  readonly #document: PDFKit.PDFDocument;
  readonly #fonts: FontSet;
  readonly #direction: Direction;
  readonly #bottom: number;
  #y = margin;

  constructor(fonts: FontSet, info: PageInfo) {
    this.#fonts = fonts;
    this.#direction = info.direction;
    this.#document = new PDFDocument({
      size: 'A4',
      margin: 0,
      bufferPages: true,
      ...(info.eInvoice ? { pdfVersion: '1.7', subset: 'PDF/A-3b' } : {}),
      lang: info.language,
      font: null as never,
      info: {
        Title: info.title.replace(/[\u2068\u2069]/g, ''),
        CreationDate: info.createdAt,
        Producer: 'panel',
        Creator: 'panel',
      },
    });
    for (const font of [...fonts.regular, ...fonts.bold]) this.#document.registerFont(font.name, font.data);
    if (info.eInvoice) attach(this.#document, info.eInvoice, info.createdAt);
    this.width = this.#document.page.width - 2 * margin;
    this.#bottom = this.#document.page.height - margin - 20;
  }

  get y(): number {
    return this.#y;
  }

  moveTo(y: number): void {
    this.#y = y;
  }

  skip(points: number): void {
    this.#y += points;
  }

  text(text: string, style: TextStyle, column: Column = { x: this.left, width: this.width, align: 'start' }): void {
    const step = style.sizePt * lineHeight;
    for (const line of this.#wrap(text, style, column.width)) {
      this.#ensureRoom(step);
      this.#drawLine(line, style, column, this.#y);
      this.#y += step;
    }
  }

  /** A row cut by the page end continues after `onNewPage`. */
  row(cells: readonly string[], columns: readonly Column[], style: TextStyle, onNewPage: () => void = () => {}): void {
    const step = style.sizePt * lineHeight;
    const wrapped = columns.map((column, index) => this.#wrap(cells[index] ?? '', style, column.width));
    const height = Math.max(...wrapped.map((lines) => lines.length));
    for (let line = 0; line < height; line += 1) {
      if (this.#ensureRoom(step)) onNewPage();
      for (const [index, column] of columns.entries()) {
        const cell = wrapped[index]?.[line];
        if (cell) this.#drawLine(cell, style, column, this.#y);
      }
      this.#y += step;
    }
  }

  rule(): void {
    this.#document
      .moveTo(this.left, this.#y)
      .lineTo(this.left + this.width, this.#y)
      .lineWidth(0.5)
      .strokeColor('#999999')
      .stroke();
    this.#y += 4;
  }

  /** Whole, on the next page where this one has no room. */
  qrCode({ size, dark }: QrCode, sidePt: number): void {
    this.#ensureRoom(sidePt);
    const unit = sidePt / size;
    const left = this.#mirrored(this.left, sidePt);
    for (const { x, y } of dark) this.#document.rect(left + x * unit, this.#y + y * unit, unit, unit);
    this.#document.fill('#000000');
    this.#y += sidePt;
  }

  /** Adds page numbers. */
  async finish(pageNumber: (page: number, count: number) => string): Promise<Buffer> {
    const { count } = this.#document.bufferedPageRange();
    const style: TextStyle = { sizePt: 8, align: 'end' };
    for (let page = 0; page < count; page += 1) {
      this.#document.switchToPage(page);
      const column = { x: this.left, width: this.width, align: 'end' } as const;
      const text = pageNumber(page + 1, count);
      this.#drawLine({ text, direction: directionOf(text) }, style, column, this.#bottom + 10);
    }
    const chunks: Buffer[] = [];
    const ended = new Promise<void>((resolve, reject) => {
      this.#document.on('data', (chunk: Buffer) => chunks.push(chunk));
      this.#document.on('end', resolve);
      this.#document.on('error', reject);
    });
    this.#document.end();
    await ended;
    return Buffer.concat(chunks);
  }

  /** True: a page was added. */
  #ensureRoom(step: number): boolean {
    if (this.#y + step <= this.#bottom) return false;
    this.#document.addPage();
    this.#y = margin;
    return true;
  }

  #fontsOf(style: TextStyle): readonly DocumentFont[] {
    return style.isBold ? this.#fonts.bold : this.#fonts.regular;
  }

  #wrap(text: string, style: TextStyle, width: number): Line[] {
    return printable(text)
      .split('\n')
      .flatMap((paragraph) => {
        const direction = directionOf(paragraph);
        return wrapLines(paragraph, width, (line) => this.#measure(line, style)).map((line) => ({
          text: line,
          direction,
        }));
      });
  }

  #measure(line: string, style: TextStyle): number {
    return visualRuns(line, this.#fontsOf(style)).reduce(
      (sum, { text, font }) => sum + this.#widthOf(text, font, style),
      0,
    );
  }

  #widthOf(text: string, font: DocumentFont, style: TextStyle): number {
    return this.#document.font(font.name).fontSize(style.sizePt).widthOfString(text);
  }

  /** Left edge of what is `width` wide. */
  #mirrored(x: number, width: number): number {
    return this.#direction === 'ltr' ? x : 2 * this.left + this.width - x - width;
  }

  #drawLine({ text: line, direction }: Line, style: TextStyle, column: Column, y: number): void {
    const runs = visualRuns(line, this.#fontsOf(style), direction);
    const width = this.#measure(line, style);
    let x = this.#mirrored(column.align === 'end' ? column.x + column.width - width : column.x, width);
    for (const { text, font } of runs) {
      const runWidth = this.#widthOf(text, font, style);
      // One baseline for all fonts: their ascents differ.
      this.#document.fillColor('#1a1a1a').text(text, x, y + style.sizePt, { lineBreak: false, baseline: 'alphabetic' });
      x += runWidth;
    }
  }
}

/** Of PDFKit, which its declarations leave out. */
type WithMetadata = PDFKit.PDFDocument & { appendXML(xml: string): void };

function attach(document: PDFKit.PDFDocument, { profile, xml }: EInvoiceAttachment, at: Date): void {
  const file = {
    name: facturX[profile].fileName,
    type: 'text/xml',
    relationship: 'Alternative',
    creationDate: at,
    modifiedDate: at,
  };
  document.file(Buffer.from(xml), file);
  (document as WithMetadata).appendXML(facturXMetadata(profile));
}

// eslint-disable-next-line no-control-regex -- these are what is removed
const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u2060-\u2065\u206a-\u206f\ufeff]/g;
const bidiMarks = /[\u061c\u200c-\u200f\u202a-\u202e\u2066\u2067]/g;

/** Removes control and bidi marks: letters and isolates alone decide the direction. */
function printable(text: string): string {
  return text.replace(controls, '').replace(bidiMarks, '');
}
