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

/** Query parameters are text, documented as numbers. */
function numberMeta(description: string, maximum: number, number: number) {
  return { description, type: 'integer', minimum: 1, maximum, default: number, pattern: undefined };
}

const page = wholeNumber(maxPage);
const perPage = wholeNumber(maxPerPage);

const pageQuery = z.object({
  page: page.prefault('1').meta(numberMeta('page number, from 1', maxPage, 1)),
  per_page: perPage.prefault(`${defaultPerPage}`).meta(numberMeta('items per page', maxPerPage, defaultPerPage)),
});

/** `sortable`: accepted by `sort`. */
export function listQuery(...sortable: readonly string[]) {
  const known = new Set(sortable);
  return pageQuery.extend({
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

/** `total` counts all. */
export function firstPage<T>(items: readonly T[]): ListResult<T> {
  return pageOf(items, 1, maxPerPage);
}

function pageOf<T>(items: readonly T[], page: number, perPage: number): ListResult<T> {
  return { items: items.slice((page - 1) * perPage, page * perPage), page: { page, perPage, total: items.length } };
}

interface ListQuery {
  readonly page: number;
  readonly per_page: number;
  readonly search: string;
  readonly sort: readonly string[];
}

/** For complete results. `search` matches `textOf`; stable: without `sort` the service's order remains. */
export function selectPage<T extends object>(
  items: readonly T[],
  query: ListQuery,
  textOf: (item: T) => string,
): ListResult<T> {
  const needle = query.search.toLowerCase();
  const found = needle === '' ? [...items] : items.filter((item) => textOf(item).toLowerCase().includes(needle));
  for (const term of query.sort.toReversed()) {
    const name = term.replace(/^-/, '') as keyof T;
    const direction = term.startsWith('-') ? -1 : 1;
    found.sort((a, b) => direction * compareValues(a[name], b[name]));
  }
  return pageOf(found, query.page, query.per_page);
}

function textOfValue(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
}

function compareValues(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return textOfValue(a).localeCompare(textOfValue(b), 'en', { numeric: true });
}

export function pageRequest(query: ListQuery): PageRequest {
  return PageRequest.create({
    page: query.page,
    perPage: query.per_page,
    search: query.search,
    sort: [...query.sort],
  });
}

/** A flag of a query. */
export const yesOrNo = z.enum(['true', 'false']).transform((word) => word === 'true');
