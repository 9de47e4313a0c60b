import { z } from 'zod';

const maxLogoBytes = 256 * 1024;

/** Magic bytes of accepted formats. Not SVG: it can contain script. */
const signatures: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  'image/png': (bytes) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  'image/jpeg': (bytes) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')),
  'image/webp': (bytes) =>
    bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP',
};

const dataUrl = /^data:(image\/(?:png|jpeg|webp));base64,([A-Za-z0-9+/]+={0,2})$/;

/** Data URL of a small image, matching its bytes; or empty. */
export const logo = z
  .string()
  .max(Math.ceil(maxLogoBytes / 3) * 4 + 64, 'must be at most 256 KiB')
  .refine(isLogo, 'must be a PNG, WebP or JPEG of at most 256 KiB as a data URL');

function isLogo(text: string): boolean {
  if (text === '') return true;
  const [, type = '', base64 = ''] = dataUrl.exec(text) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length > 0 && bytes.length <= maxLogoBytes && signatures[type]?.(bytes) === true;
}

/** Empty: the console's own. */
export const colour = z.string().regex(/^(#[0-9a-fA-F]{6})?$/, 'must be a colour like #1a2b3c');
