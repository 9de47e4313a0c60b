import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** With compressed forms. */
export interface SiteFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly brotli: Buffer | null;
  readonly gzip: Buffer | null;
}

/** In memory. */
export interface Site {
  readonly index: SiteFile;
  /** By path, like /assets/main-1a2b3c.js; names contain a content hash. */
  readonly files: ReadonlyMap<string, SiteFile>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/** Output of `npm run build`. */
export function siteDirectory(): string {
  return fileURLToPath(new URL('dist/site/', import.meta.resolve('@panel/web/package.json')));
}

/** Null: not built. */
export async function readSite(directory: string): Promise<Site | null> {
  const names = await readdir(directory, { recursive: true }).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (!names?.includes('index.html')) return null;
  const present = new Set(names);
  const read = async (name: string): Promise<Buffer | null> =>
    present.has(name) ? readFile(path.join(directory, name)) : null;
  const entries = await Promise.all(
    names
      .filter((name) => types[path.extname(name)] !== undefined)
      .map(async (name): Promise<[string, SiteFile]> => {
        const [plain, brotli, gzip] = await Promise.all([
          readFile(path.join(directory, name)),
          read(`${name}.br`),
          read(`${name}.gz`),
        ]);
        return [`/${name.replaceAll(path.sep, '/')}`, { type: types[path.extname(name)] ?? '', plain, brotli, gzip }];
      }),
  );
  const files = new Map(entries);
  const index = files.get('/index.html');
  files.delete('/index.html');
  return index ? { index, files } : null;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
