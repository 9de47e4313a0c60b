import { z } from 'zod';
import { PageRequest } from '@panel/protos/common';
import type { ListResult } from './route.js';

const maxPage = 1_000_000;

const wholeNumber = (max: number) => {
  const message = `must be a whole number from 1 to ${max}`;
  return z
    .string()
    .regex(/^\d{1,7}$/, message)
    .transform(Number)
    .refine((value) => value >= 1 && value <= max, message);
};

/** A query parameter is text that is read as a number; the documentation says number. */
function numberMeta(description: string, maximum: number, number: number) {
  return { description, type: 'integer', minimum: 1, maximum, default: number, pattern: undefined };
}

/** The parameters every list has. `sortable` are the names its `sort` knows. */
export function listQuery(...sortable: readonly string[]) {
  const known = new Set(sortable);
  return z.object({
    page: wholeNumber(maxPage)
      .prefault('1')
      .meta(numberMeta('page number, from 1', maxPage, 1)),
    per_page: wholeNumber(100)
      .prefault('25')
      .meta(numberMeta('items per page', 100, 25)),
    search: z
      .string()
      .max(100, 'must be at most 100 characters')
      .prefault('')
      .describe('literal, case-insensitive part of the name'),
    sort: z
      .string()
      .max(200)
      .transform((text) => text.split(',').filter((term) => term !== ''))
      .refine(
        (terms) => terms.every((term) => known.has(term.replace(/^-/, ''))),
        `can be ${sortable.join(', ')}, with commas between them and a leading - for descending`,
      )
      .prefault('')
      .describe(`${sortable.join(', ')}; several with commas between them, a leading - for descending`),
  });
}

/** For a list that is always one page: parameters are ignored like unknown ones. */
export const wholeListQuery = z.object({});

/** All there is, as one page. */
export function wholeList<T>(items: readonly T[]): ListResult<T> {
  return { items, page: { page: 1, perPage: Math.max(1, items.length), total: items.length } };
}

/** The page a list was asked for, as the services want it. */
export function pageRequest(query: {
  page: number;
  per_page: number;
  search: string;
  sort: readonly string[];
}): PageRequest {
  return PageRequest.create({
    page: query.page,
    perPage: query.per_page,
    search: query.search,
    sort: [...query.sort],
  });
}
