import type { BigIntStats } from 'node:fs';
import { opendir, readlink, type FileHandle } from 'node:fs/promises';
import { fail } from '../reasons.js';
import { isErrno } from '@panel/kit/errors';
import { entryPath, handlePath, openDirectory, openNode } from './node.js';
import { displayName, replacement, type Segments } from '../domain/path.js';
import { ifExists } from './paths.js';

/** Where a path led. */
export interface Resolved {
  /** Names the thing itself. */
  readonly node: FileHandle;
  readonly stats: BigIntStats;
  /** Its real place below the root, all links resolved. */
  readonly segments: Segments;
}

/** As path_resolution(7). */
const maxLinks = 40;
/** Steps of one resolution, those that links add included: bounds the work one request can cause. */
const maxSteps = 1024;
/** Entries scanned for a name that is only known by its display form. */
const maxNameSearch = 100_000;

const dotDot = Buffer.from('..');

/**
 * Resolve a path from an open root and pass the result to `use`; the handles are closed afterwards.
 *
 * Each component is looked up in the directory that is open, never by a path from the top, and never followed by the
 * kernel. Symbolic links are followed here, one component at a time: a relative link may lead anywhere inside the root;
 * an absolute one, or one with more `..` than levels, is refused (LINK_REFUSED), because the game sees another root than
 * we do. So a directory that turns into a link between two steps leads to a failure or to another place inside, and never
 * out. With `followLast: false` a link at the end is the result itself.
 *
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

/** As `resolve`, with other work for a path of which something is missing. */
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

/** The directory a path leads to, as far as it exists. */
interface ResolvedParent {
  /** The last directory that is there. */
  readonly directory: FileHandle;
  /** Its real place below the root, all links resolved. */
  readonly segments: Segments;
  /** The directories that are not there yet, from the outermost in. */
  readonly missing: Segments;
  /** Whether a symbolic link was on the way. */
  readonly hasLinks: boolean;
}

/** As `resolve`, for a directory that may have to be made first. Throws FILE_NOT_FOUND when something else is on the way. */
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

/** What happens at the last name of a path: a link is the result itself, is followed, or leads to the directory to stand in. */
type LastStep = 'kept' | 'followed' | 'entered';

class Walk {
  readonly #root: FileHandle;
  /** The directory we stand in; the root is borrowed. */
  #directory: FileHandle;
  /** What it said when we came in; null for the root, and where we have not looked. */
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
      // most are directories, which need no look at what they are
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

  /** Steps up among what is missing come from a link that leads nowhere. */
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

  /** Back to the parent by the names we came by: the kernel's own `..` could lead elsewhere after a rename. */
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

  /** Null when the name is no longer a link. */
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
  // latin1 keeps every byte as it is
  return target
    .toString('latin1')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .map((segment) => Buffer.from(segment, 'latin1'));
}

/** Open a subdirectory, not through a link; null when it is missing or no directory. The caller closes it. */
export async function enterDirectory(directory: FileHandle, name: Buffer): Promise<FileHandle | null> {
  try {
    return await openDirectory(directory, name);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
    throw error;
  }
}

/** What a name leads to, and the bytes it really has. */
export interface Named {
  readonly node: FileHandle;
  readonly name: Buffer;
}

/**
 * Open one name, links not followed; null when it is missing. A name with U+FFFD that does not exist as such stands
 * for the odd name that is shown that way. The caller closes the node.
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

// Node's types know `encoding: 'buffer'` for readdir only; opendir passes it to the same code (checked by a test).
export const bufferNames = { encoding: 'buffer' as unknown as BufferEncoding, bufferSize: 256 };

/** The bytes of a name read with `bufferNames`. */
export function nameOf(entry: { name: unknown }): Buffer {
  if (!Buffer.isBuffer(entry.name)) throw new TypeError('a directory entry came without its bytes');
  return entry.name;
}
