const byExtension: Readonly<Record<string, string>> = {
  '7z': 'application/x-7z-compressed',
  bat: 'text/plain',
  bmp: 'image/bmp',
  bz2: 'application/x-bzip2',
  cfg: 'text/plain',
  conf: 'text/plain',
  css: 'text/css',
  csv: 'text/csv',
  db: 'application/octet-stream',
  dll: 'application/vnd.microsoft.portable-executable',
  exe: 'application/vnd.microsoft.portable-executable',
  gif: 'image/gif',
  gz: 'application/gzip',
  html: 'text/html',
  ico: 'image/vnd.microsoft.icon',
  ini: 'text/plain',
  jar: 'application/java-archive',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  json5: 'application/json5',
  log: 'text/plain',
  lua: 'text/x-lua',
  md: 'text/markdown',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  pdf: 'application/pdf',
  php: 'application/x-httpd-php',
  png: 'image/png',
  properties: 'text/plain',
  py: 'text/x-python',
  rar: 'application/vnd.rar',
  sh: 'application/x-sh',
  so: 'application/x-sharedlib',
  sql: 'application/sql',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tgz: 'application/gzip',
  toml: 'application/toml',
  ts: 'text/plain',
  txt: 'text/plain',
  wav: 'audio/wav',
  webp: 'image/webp',
  xml: 'application/xml',
  xz: 'application/x-xz',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  zip: 'application/zip',
  zst: 'application/zstd',
};

const signatures: readonly (readonly [hex: string, mimetype: string])[] = [
  ['1f8b', 'application/gzip'],
  ['504b0304', 'application/zip'],
  ['7f454c46', 'application/x-executable'],
  ['25504446', 'application/pdf'],
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['fd377a585a00', 'application/x-xz'],
  ['28b52ffd', 'application/zstd'],
  ['4d5a', 'application/vnd.microsoft.portable-executable'],
  ['2321', 'text/x-script'],
  ['53514c69746520666f726d617420', 'application/vnd.sqlite3'],
];

export const directoryMimetype = 'inode/directory';
export const symlinkMimetype = 'inode/symlink';
export const unknownMimetype = 'application/octet-stream';

/** Input length of `mimetypeOfContent`. */
export const sniffBytes = 512;

/** Null when unknown. */
export function mimetypeOfName(name: string): string | null {
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? name.slice(dot + 1).toLowerCase() : '';
  return Object.hasOwn(byExtension, extension) ? (byExtension[extension] ?? null) : null;
}

export function mimetypeOfContent(head: Uint8Array): string {
  const hex = Buffer.from(head).subarray(0, 16).toString('hex');
  const known = signatures.find(([signature]) => hex.startsWith(signature));
  if (known) return known[1];
  return isText(head) ? 'text/plain' : unknownMimetype;
}

/** UTF-8 (possibly cut) without other control bytes. */
function isText(head: Uint8Array): boolean {
  if (head.some((byte) => byte < 0x20 && !textControls.has(byte))) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** Tab, line feed, form feed, carriage return, and escape (coloured logs). */
const textControls = new Set([0x09, 0x0a, 0x0c, 0x0d, 0x1b]);
