import { expect } from 'chai';
import { colour, logo } from '../../src/domain/logo.js';

const dataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
const jpeg = Buffer.from('ffd8ffe000104a46', 'hex');
const webp = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1');
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');

describe('logo of the brand', () => {
  it('accepts a PNG, JPEG or WebP image as logo, or none', () => {
    const accepted = ['', dataUrl('image/png', png), dataUrl('image/jpeg', jpeg), dataUrl('image/webp', webp)];
    for (const text of accepted) expect(logo.safeParse(text).success, text).to.equal(true);
  });

  it('refuses another logo, and one of another type than it says', () => {
    const refused = [
      dataUrl('image/svg+xml', svg),
      dataUrl('image/png', svg),
      dataUrl('image/png', jpeg),
      dataUrl('image/gif', Buffer.from('GIF89a')),
      dataUrl('text/html', png),
      dataUrl('image/png', Buffer.alloc(0)),
      'data:image/png,raw',
      'https://example.com/logo.png',
      `${dataUrl('image/png', png)}"onload=`,
      'javascript:alert(1)',
    ];
    for (const text of refused) expect(logo.safeParse(text).success, text).to.equal(false);
  });

  it('limits the logo to 256 KiB', () => {
    const of = (size: number) => dataUrl('image/png', Buffer.concat([png, Buffer.alloc(size - png.length)]));
    expect(logo.safeParse(of(256 * 1024)).success).to.equal(true);
    expect(logo.safeParse(of(256 * 1024 + 1)).success).to.equal(false);
  });

  it('accepts colours of six hexadecimal digits beside the logo', () => {
    for (const text of ['', '#1a2b3c', '#FFFFFF']) expect(colour.safeParse(text).success, text).to.equal(true);
    for (const text of ['red', '#fff', '#1a2b3c;}', 'url(x)', '#1a2b3cff'])
      expect(colour.safeParse(text).success, text).to.equal(false);
  });
});
