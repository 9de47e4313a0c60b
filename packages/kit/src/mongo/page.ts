import { requireValid } from '../errors/errors.js';
import { type FieldMessages, fieldProblem } from '../errors/field-problem.js';

/** A list request on the wire; zero and empty mean defaults. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
  readonly sort: readonly string[];
  readonly search: string;
}

export interface PageQuery {
  readonly page: number;
  readonly perPage: number;
  readonly skip: number;
  /** Literal text; empty means none. */
  readonly search: string;
  /** Database field to direction, ends with `_id` for a total order. */
  readonly sort: Readonly<Record<string, 1 | -1>>;
}

const maxPerPage = 100;
const defaultPerPage = 25;
const maxPage = 1_000_000;

/**
 * `sortable` maps sort names to database fields; the default is `created_at`, newest last. Throws INVALID_FIELDS naming
 * `page`, `per_page`, `sort` or `search`.
 */
export function parsePage(request: PageRequest | undefined, sortable: Readonly<Record<string, string>>): PageQuery {
  const page = request?.page || 1;
  const perPage = request?.perPage || defaultPerPage;
  const search = request?.search ?? '';
  const fields: FieldMessages = {};
  if (page < 1 || page > maxPage) fields.page = [fieldProblem('out_of_range', `must be between 1 and ${maxPage}`)];
  if (perPage < 1 || perPage > maxPerPage)
    fields.per_page = [fieldProblem('out_of_range', `must be between 1 and ${maxPerPage}`)];
  if (search.length > 100) fields.search = [fieldProblem('too_long', 'must be at most 100 characters')];
  // The driver refuses NUL, where MongoDB's patterns end.
  if (search.includes('\0')) fields.search = ['must not hold a NUL'];
  const sort = sortOf(request?.sort ?? [], sortable, fields);
  requireValid(fields);
  return { page, perPage, skip: (page - 1) * perPage, search, sort };
}

function sortOf(terms: readonly string[], sortable: Readonly<Record<string, string>>, fields: FieldMessages) {
  const sort: Record<string, 1 | -1> = {};
  for (const term of terms) {
    const name = term.replace(/^-/, '');
    const field = Object.hasOwn(sortable, name) ? sortable[name] : undefined;
    if (field === undefined)
      fields.sort = [
        fieldProblem('not_allowed', `can be ${Object.keys(sortable).join(', ')}, each with a leading - for descending`),
      ];
    else sort[field] ??= term.startsWith('-') ? -1 : 1;
  }
  if (Object.keys(sort).length === 0 && sortable.created_at) sort[sortable.created_at] = 1;
  sort._id ??= 1;
  return sort;
}
