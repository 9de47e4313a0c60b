import type { BigIntStats } from 'node:fs';
import { opendir, readlink, type FileHandle } from 'node:fs/promises';
import { fail } from '../reasons.js';
import { isErrno } from '@panel/kit/errors';
import { entryPath, handlePath, openDirectory, openNode } from './node.js';
import { displayName, replacement, type Segments } from '../domain/path.js';
import { ifExists } from './paths.js';

export interface Resolved {
  readonly node: FileHandle;
  readonly stats: BigIntStats;
  /** Below the root, with links resolved. */
  readonly segments: Segments;
}

/** As path_resolution(7). */
const maxLinks = 40;
/** Including those of links; bounds the work per request. */
const maxSteps = 1024;
/** Maximum scan for a name in display form. */
const maxNameSearch = 100_000;

const dotDot = Buffer.from('..');

/**
 * Resolves a path from an open root; closes the handles after `use`.
 * Looks up each component in its open directory; the kernel follows no link. Links are followed here, within the root;
 * absolute ones, or ones above it, are refused (LINK_REFUSED), as the game's root differs. A directory swapped for a
 * link leads to a failure or elsewhere inside, never out. With `followLast: false` a last link is the result.
 * Throws FILE_NOT_FOUND, LINK_REFUSED, NAME_AMBIGUOUS.
 */
export async function resolve<T>(
  root: FileHandle,
  segments: Segments,
  options: { readonly followLast: boolean },
  use: (found: Resolved) => Promise<T>,
): Promise<T> {
  return resolveOrMissing(root, segments, options, {
    found: use,
    missing: async () => {
      throw fail('FILE_NOT_FOUND', 'no such file or directory');
    },
  });
}

export async function resolveOrMissing<T>(
  root: FileHandle,
  segments: Segments,
  options: { readonly followLast: boolean },
  use: {
    readonly found: (found: Resolved) => Promise<T>;
    readonly missing: (reached: ResolvedParent) => Promise<T>;
  },
): Promise<T> {
  const walk = new Walk(root);
  try {
    const reached = await walk.run([...segments], options.followLast ? 'followed' : 'kept');
    return await ('missing' in reached ? use.missing(reached) : use.found(reached));
  } finally {
    await walk.close();
  }
}

interface ResolvedParent {
  /** The deepest existing one. */
  readonly directory: FileHandle;
  /** Below the root, with links resolved. */
  readonly segments: Segments;
  /** Missing directories, outermost first. */
  readonly missing: Segments;
  readonly hasLinks: boolean;
}

/** As `resolve`, for a directory that may be missing. Throws FILE_NOT_FOUND for a non-directory on the way. */
export async function resolveParent<T>(
  root: FileHandle,
  segments: Segments,
  use: (reached: ResolvedParent) => Promise<T>,
): Promise<T> {
  const walk = new Walk(root);
  try {
    const reached = await walk.run([...segments], 'entered');
    if (!('missing' in reached)) throw fail('FILE_NOT_FOUND', 'no such file or directory');
    return await use(reached);
  } finally {
    await walk.close();
  }
}

/** A link is returned, followed, or entered. */
type LastStep = 'kept' | 'followed' | 'entered';

class Walk {
  readonly #root: FileHandle;
  /** The root is borrowed. */
  #directory: FileHandle;
  /** Null if not read. */
  #stats: BigIntStats | null = null;
  #last: FileHandle | undefined;
  #names: Buffer[] = [];

  constructor(root: FileHandle) {
    this.#root = root;
    this.#directory = root;
  }

  async run(pending: Buffer[], lastStep: LastStep): Promise<Resolved | ResolvedParent> {
    let links = 0;
    for (let steps = 0; steps < maxSteps; steps += 1) {
      const step = pending.shift();
      if (step === undefined) return lastStep === 'entered' ? this.#reached([], links > 0) : this.#standing();
      if (step.equals(dotDot)) {
        await this.#up();
        continue;
      }
      // most are directories and need no stat
      const isEntered = pending.length > 0 || lastStep === 'entered';
      const directory = isEntered ? await enterDirectory(this.#directory, step) : null;
      if (directory) {
        await this.#enter(directory, step);
        continue;
      }
      const named = await openByName(this.#directory, step);
      if (!named) return this.#reached([step, ...pending], links > 0);
      const { node, name } = named;
      this.#last = node;
      const stats = await node.stat({ bigint: true });
      if (stats.isSymbolicLink() && (lastStep !== 'kept' || pending.length > 0)) {
        links += 1;
        if (links > maxLinks) throw fail('LINK_REFUSED', 'too many symbolic links');
        pending.unshift(...(await this.#target(name)));
      } else if (pending.length === 0 && !stats.isDirectory()) {
        return { node, stats, segments: [...this.#names, name] };
      } else if (stats.isDirectory()) {
        await this.#enter(node, name);
        this.#stats = stats;
        continue;
      } else throw fail('FILE_NOT_FOUND', 'no such file or directory');
      this.#last = undefined;
      await node.close();
    }
    throw fail('LINK_REFUSED', 'the symbolic links on this path lead too far');
  }

  /** `..` here stems from a dangling link. */
  #reached(steps: Buffer[], hasLinks: boolean): ResolvedParent {
    if (steps.some((step) => step.equals(dotDot))) throw fail('FILE_NOT_FOUND', 'no such file or directory');
    return { directory: this.#directory, segments: this.#names, missing: steps, hasLinks };
  }

  async close(): Promise<void> {
    await this.#last?.close();
    if (this.#directory !== this.#root) await this.#directory.close();
  }

  async #standing(): Promise<Resolved> {
    const stats = this.#stats ?? (await this.#directory.stat({ bigint: true }));
    return { node: this.#directory, stats, segments: this.#names };
  }

  async #enter(node: FileHandle, name: Buffer): Promise<void> {
    const before = this.#directory;
    this.#directory = node;
    this.#stats = null;
    this.#last = undefined;
    this.#names.push(name);
    if (before !== this.#root) await before.close();
  }

  /** After a rename the kernel's `..` may lead elsewhere. */
  async #up(): Promise<void> {
    if (this.#names.length === 0) throw fail('LINK_REFUSED', "a symbolic link leads out of the server's directory");
    const names = this.#names.slice(0, -1);
    if (this.#directory !== this.#root) await this.#directory.close();
    this.#directory = this.#root;
    this.#stats = null;
    this.#names = [];
    for (const name of names) await this.#enter(await openDirectory(this.#directory, name), name);
  }

  async #target(name: Buffer): Promise<Buffer[]> {
    const target = await this.#readLink(name);
    if (target === null) return [name];
    if (target[0] === 0x2f) throw fail('LINK_REFUSED', "a symbolic link leads out of the server's directory");
    return splitTarget(target);
  }

  /** Null when no longer a link. */
  async #readLink(name: Buffer): Promise<Buffer | null> {
    try {
      return await readlink(entryPath(this.#directory, name), { encoding: 'buffer' });
    } catch (error) {
      if (isErrno(error, 'EINVAL')) return null;
      throw error;
    }
  }
}

function splitTarget(target: Buffer): Buffer[] {
  // latin1 keeps every byte
  return target
    .toString('latin1')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .map((segment) => Buffer.from(segment, 'latin1'));
}

/** Follows no link; null when missing or no directory. The caller closes it. */
export async function enterDirectory(directory: FileHandle, name: Buffer): Promise<FileHandle | null> {
  try {
    return await openDirectory(directory, name);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
    throw error;
  }
}

/** With its real name. */
interface Named {
  readonly node: FileHandle;
  readonly name: Buffer;
}

/**
 * Follows no link; null when missing. A missing name with U+FFFD stands for the entry displayed so. The caller closes
 * the node.
 */
export async function openByName(directory: FileHandle, name: Buffer): Promise<Named | null> {
  const node = await ifExists(async () => openNode(directory, name));
  if (node) return { node, name };
  const real = name.includes(replacement) ? await findByDisplayName(directory, name.toString('utf8')) : null;
  const odd = real && (await ifExists(async () => openNode(directory, real)));
  return real && odd && { node: odd, name: real };
}

async function findByDisplayName(directory: FileHandle, shown: string): Promise<Buffer | null> {
  let found: Buffer | null = null;
  let seen = 0;
  for await (const entry of await opendir(handlePath(directory), bufferNames)) {
    const name = nameOf(entry);
    seen += 1;
    if (seen > maxNameSearch) break;
    if (displayName(name) !== shown) continue;
    if (found) throw fail('NAME_AMBIGUOUS', 'several files look like this name');
    found = name;
  }
  return found;
}

// Node types `encoding: 'buffer'` for readdir only; opendir supports it too (tested).
export const bufferNames = { encoding: 'buffer' as unknown as BufferEncoding, bufferSize: 256 };

export function nameOf(entry: { name: unknown }): Buffer {
  if (!Buffer.isBuffer(entry.name)) throw new TypeError('a directory entry came without its bytes');
  return entry.name;
}
