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

/** Of light modules around it, as readers need. */
const quiet = 4;

/** With the words for who cannot see it. */
export function qrCodeSvg(text: string, label: string): string {
  const { size, dark } = qrCodeOf(text);
  const path = dark.map(({ x, y }) => `M${x + quiet} ${y + quiet}h1v1h-1z`).join('');
  const side = size + 2 * quiet;
  const box = `viewBox="0 0 ${side} ${side}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="code" role="img" aria-label="${label}" ${box}><path d="${path}"/></svg>`;
}
