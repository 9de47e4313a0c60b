import type { FilesContext } from '../../context.js';
import { mimetypeOfName, unknownMimetype, directoryMimetype, symlinkMimetype } from '../../domain/mimetype.js';
import { createNameMatcher } from '../../domain/name-pattern.js';
import { displayName, displayPath, type Segments } from '../../domain/path.js';
import { type Entry, entryOf } from '../../jail/entries.js';
import { mapFsErrors } from '../../jail/errno.js';
import { duplicate, openForReading, openNode, readUpTo, withHandle } from '../../jail/node.js';
import { resolve } from '../../jail/resolve.js';
import { type WalkedEntry, walkSorted } from '../../jail/sorted-walk.js';
import { identityOf } from '../../jail/tree.js';
import { fail } from '../../reasons.js';
import { type FileAccess, type Workspace, withWorkspace } from '../../workspace/workspace.js';

interface SearchInput extends FileAccess {
  readonly root: Segments;
  /** Part of the name, or a glob; empty: any. */
  readonly name: string;
  /** Literal text; empty: only names. */
  readonly content: string;
  readonly limit: number;
}

type SearchResult =
  | {
      readonly kind: 'match';
      readonly entry: Entry;
      readonly path: string;
      readonly line: number;
      readonly text: string;
    }
  | { readonly kind: 'summary'; readonly isComplete: boolean; readonly entries: number };

const maxEntries = 200_000;
const maxFileBytes = 4 * 1024 * 1024;
const maxReadBytes = 512 * 1024 * 1024;
const maxDurationMs = 8_000;
const maxLineLength = 200;

/**
 * In path order, the summary last. Follows no link; skips contents of protected files, binary files and files over 4
 * MiB. Throws NOT_A_DIRECTORY.
 */
export async function* searchFiles(context: FilesContext, input: SearchInput): AsyncGenerator<SearchResult> {
  const { directory, prefix, guard } = await openDirectory(context, input);
  const matchesName = createNameMatcher(input.name);
  const until = performance.now() + maxDurationMs;
  let [entries, matches, readBytes] = [0, 0, 0];
  let isComplete = true;
  try {
    for await (const walked of walkSorted(directory)) {
      input.signal.throwIfAborted();
      if (matches === input.limit || entries === maxEntries || readBytes > maxReadBytes || performance.now() > until) {
        isComplete = false;
        break;
      }
      entries += 1;
      const below = pathOf(walked);
      const isDirectory = walked.stats.isDirectory();
      if (context.tempNames.isOurs(walked.name) || guard.denies(`${prefix}${below}`, isDirectory)) continue;
      if (!matchesName(displayName(walked.name))) continue;
      const found = input.content === '' ? { line: 0, text: '' } : await findContent(walked, input.content);
      if (input.content !== '' && walked.stats.isFile()) readBytes += Number(walked.stats.size);
      if (!found) continue;
      matches += 1;
      yield { kind: 'match', entry: describe(walked), path: `/${prefix}${below}`, ...found };
    }
  } finally {
    await directory.close();
  }
  yield { kind: 'summary', isComplete, entries };
}

async function openDirectory(context: FilesContext, { root, ...access }: SearchInput) {
  return withWorkspace(context, access, async (workspace: Workspace) => {
    const { guard } = workspace;
    guard.check(displayPath(root), true);
    return resolve(workspace.root, root, { followLast: true }, async ({ node, stats, segments }) => {
      if (!stats.isDirectory()) throw fail('NOT_A_DIRECTORY', 'this is not a directory');
      guard.check(displayPath(segments), true);
      const prefix = segments.length === 0 ? '' : `${displayPath(segments)}/`;
      return { directory: await duplicate(node), prefix, guard };
    });
  });
}

function pathOf({ path }: WalkedEntry): string {
  return path
    .toString('latin1')
    .split('/')
    .map((part) => displayName(Buffer.from(part, 'latin1')))
    .join('/');
}

function describe({ name, stats }: WalkedEntry): Entry {
  const byName = mimetypeOfName(displayName(name)) ?? unknownMimetype;
  const mimetype = stats.isDirectory() ? directoryMimetype : stats.isSymbolicLink() ? symlinkMimetype : byName;
  return entryOf(name, stats, mimetype);
}

/** First match in a text file. */
async function findContent({ directory, name, stats }: WalkedEntry, content: string) {
  if (!stats.isFile() || stats.size === 0n || stats.size > maxFileBytes) return null;
  const bytes = await mapFsErrors(async () =>
    withHandle(await openNode(directory, name), async (node) => {
      if (identityOf(await node.stat({ bigint: true })) !== identityOf(stats)) return null;
      return withHandle(await openForReading(node), async (file) => readUpTo(file, Number(stats.size)));
    }),
  ).catch((error: unknown) => {
    // removed or unreadable
    if (error instanceof Error) return null;
    throw error;
  });
  if (!bytes || bytes.includes(0)) return null;
  const text = bytes.toString('utf8');
  const lowerCase = text.toLowerCase();
  const at = lowerCase.indexOf(content.toLowerCase());
  if (at < 0) return null;
  // lower case may be longer than the text: offsets differ, numbers of lines do not
  const line = lowerCase.slice(0, at).split('\n').length;
  return { line, text: (text.split('\n', line).at(-1) ?? '').slice(0, maxLineLength) };
}
