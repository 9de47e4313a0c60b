import QRCode from 'qrcode';

export interface QrCode {
  /** Modules a side, without the quiet zone. */
  readonly size: number;
  /** Dark modules. */
  readonly dark: readonly { readonly x: number; readonly y: number }[];
}

/** Of a text that banking apps read: with error correction M. */
export function qrCodeOf(text: string): QrCode {
  const { size, data } = QRCode.create(text, { errorCorrectionLevel: 'M' }).modules;
  const all = Array.from(data, (isDark, index) => ({ isDark, x: index % size, y: Math.floor(index / size) }));
  return { size, dark: all.filter(({ isDark }) => isDark).map(({ x, y }) => ({ x, y })) };
}
