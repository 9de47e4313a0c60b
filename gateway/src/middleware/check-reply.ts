import { type ListResult, one, type Route } from '../declaration/route.js';
import { HeadedReply } from '../http/headed-reply.js';
import { JsonList, JsonValue } from '../http/json-reply.js';
import { RawReply } from '../http/raw-reply.js';
import { successesOf } from '../openapi/responses.js';

export function checkReply(route: Route, reply: unknown): void {
  if (reply instanceof RawReply) return checkRaw(route, reply);
  if (reply instanceof HeadedReply) checkHeaders(route, reply.headers);
  checkContent(route, reply instanceof HeadedReply ? reply.value : reply);
}

function checkRaw(route: Route, { type, body, options }: RawReply): void {
  const { response } = route;
  const { status = 200, headers = {} } = options;
  if (!successesOf(route).includes(status)) throw unlike(route, `the status ${status}`);
  checkHeaders(route, headers);
  // unchanged files and ends of uploads have no body
  if (type === '' && body === '') return;
  const described = status === 202 && route.waiting ? one(route.waiting) : response;
  if (described.kind === 'one' && type === 'application/json' && typeof body === 'string') {
    const { data } = JSON.parse(body) as { readonly data?: unknown };
    return checkContent({ ...route, response: described }, data);
  }
  // The tests of the route read what is streamed.
  if (response.kind === 'one' && type === 'application/json') return;
  const types = response.kind === 'raw' ? response.types : response.kind === 'one' ? (response.rawTypes ?? []) : [];
  if (!types.includes(type)) throw unlike(route, `the type ${JSON.stringify(type)}`);
}

function checkHeaders(route: Route, headers: Readonly<Record<string, string>>): void {
  const known = new Set(route.headers.map((name) => name.toLowerCase()));
  const others = Object.keys(headers).filter((name) => !known.has(name.toLowerCase()));
  if (others.length > 0) throw unlike(route, `the headers ${others.join(', ')}`);
}

function checkContent(route: Route, result: unknown): void {
  const { response } = route;
  if (response.kind !== 'one' && response.kind !== 'list') return;
  if (result instanceof JsonList) {
    const items = result.items.map((item): unknown => JSON.parse(item.toString()));
    return checkContent(route, { items, page: result.page });
  }
  if (result instanceof JsonValue) return checkContent(route, JSON.parse(result.json.toString()));
  const values = response.kind === 'one' ? [result] : (result as ListResult<unknown>).items;
  for (const value of values) {
    const checked = response.schema.safeParse(value);
    if (!checked.success) throw unlike(route, checked.error.message);
  }
  if (response.kind !== 'list') return;
  const { extraMeta } = result as ListResult<unknown>;
  const isRight = response.extraMeta ? response.extraMeta.safeParse(extraMeta).success : extraMeta === undefined;
  if (!isRight) throw unlike(route, `its meta ${JSON.stringify(extraMeta)}`);
}

function unlike({ method, path }: Route, what: string): TypeError {
  return new TypeError(`${method} ${path} answers with what it does not declare: ${what}`);
}
