import { z } from 'zod';
import { PageRequest } from '@panel/protos/common';
import type { ListResult } from './route.js';

const maxPage = 1_000_000;
const maxPerPage = 100;
const defaultPerPage = 25;

const wholeNumber = (max: number) => {
  const message = `must be a whole number from 1 to ${max}`;
  return z
    .string()
    .regex(/^\d{1,7}$/, message)
    .transform(Number)
    .refine((value) => value >= 1 && value <= max, message);
};

/** A query parameter is text that is read as a number; the documentation says number. */
function numberMeta(description: string, maximum: number, number?: number) {
  return { description, type: 'integer', minimum: 1, maximum, default: number, pattern: undefined };
}

const page = wholeNumber(maxPage);
const perPage = wholeNumber(maxPerPage);

/** The parameters of lists that are too short to be sorted and searched. */
export const shortListQuery = z.object({
  page: page.prefault('1').meta(numberMeta('page number, from 1', maxPage, 1)),
  per_page: perPage.prefault(`${defaultPerPage}`).meta(numberMeta('items per page', maxPerPage, defaultPerPage)),
});

/** The parameters every list has. `sortable` are the names its `sort` knows. */
export function listQuery(...sortable: readonly string[]) {
  const known = new Set(sortable);
  return shortListQuery.extend({
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

/** The parameters of lists that are one page unless another is asked for. */
export const wholeListQuery = z.object({
  page: page
    .optional()
    .meta(numberMeta('page number, from 1; without it and per_page all there is is one page', maxPage)),
  per_page: perPage
    .optional()
    .meta(numberMeta(`items per page; ${defaultPerPage} when only page is given`, maxPerPage)),
});

/** All there is, as one page. */
export function wholeList<T>(items: readonly T[]): ListResult<T> {
  return { items, page: { page: 1, perPage: Math.max(1, items.length), total: items.length } };
}

/** Of all there is the page that was asked for, or all of it. */
export function pageOf<T>(items: readonly T[], asked: { page?: number; per_page?: number }): ListResult<T> {
  if (asked.page === undefined && asked.per_page === undefined) return wholeList(items);
  const { page: number = 1, per_page: size = defaultPerPage } = asked;
  const shown = items.slice((number - 1) * size, number * size);
  return { items: shown, page: { page: number, perPage: size, total: items.length } };
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
