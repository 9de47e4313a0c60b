import { z } from 'zod';

export const pathAccesses = ['allow', 'read_only', 'deny'] as const;
export type PathAccess = (typeof pathAccesses)[number];

/** What somebody may do with the files that a path matches, and with everything below them. */
export interface PathRule {
  /** Absolute; `/` is everything. `*` and `?` match within a name, `**` as a name any number of directories. */
  readonly path: string;
  readonly access: PathAccess;
}

export const maxPathRules = 20;
const maxPathLength = 200;
/** A path is compared in time proportional to their number. */
const maxWildcards = 12;
// oxlint-disable-next-line no-control-regex -- the characters that no path of a server may have
const refusedCharacters = /[\u0000-\u001f\u007f-\u009f\\\u2028-\u202e\u2066-\u2069]/u;

/** What is wrong with the path of a rule; null when nothing is. */
export function pathRuleProblem(path: string): string | null {
  if (!path.startsWith('/')) return 'must begin with a slash';
  if (path.length > maxPathLength) return `must be at most ${maxPathLength} characters`;
  if (refusedCharacters.test(path)) return 'must not contain control characters or backslashes';
  const names = path.split('/');
  if ((path.match(/[*?]/g) ?? []).length > maxWildcards) return `must have at most ${maxWildcards} wildcards`;
  if (names.some((name) => name === '..' || name === '.')) return 'must not contain . or ..';
  return names.some((name) => name !== '**' && name.includes('**')) ? 'must have ** as a whole name only' : null;
}

/** Lists of rules as a grant carries them. */
export const pathRulesSchema = z.array(z.array(z.object({ path: z.string(), access: z.enum(pathAccesses) })));
