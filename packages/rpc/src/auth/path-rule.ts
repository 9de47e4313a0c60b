import { z } from 'zod';
import { pathCharacterProblem } from '@panel/kit/text';

export const pathAccesses = ['allow', 'read_only', 'deny'] as const;
export type PathAccess = (typeof pathAccesses)[number];

export interface PathRule {
  /** Absolute; `/` is everything. `*` and `?` match within a name, `**` any number of directories. */
  readonly path: string;
  readonly access: PathAccess;
}

export const maxPathRules = 20;
const maxPathLength = 200;
/** Matching time is proportional to their number. */
const maxWildcards = 12;

/** Null for a valid path. */
export function pathRuleProblem(path: string): string | null {
  if (!path.startsWith('/')) return 'must begin with a slash';
  if (path.length > maxPathLength) return `must be at most ${maxPathLength} characters`;
  const problem = pathCharacterProblem(path);
  if (problem !== null) return problem;
  const names = path.split('/');
  if ((path.match(/[*?]/g) ?? []).length > maxWildcards) return `must have at most ${maxWildcards} wildcards`;
  if (names.some((name) => name === '..' || name === '.')) return 'must not contain . or ..';
  return names.some((name) => name !== '**' && name.includes('**')) ? 'must have ** as a whole name only' : null;
}

export const pathRulesSchema = z.array(z.array(z.object({ path: z.string(), access: z.enum(pathAccesses) })));
