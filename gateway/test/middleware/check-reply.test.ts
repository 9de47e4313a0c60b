import { expect } from 'chai';
import { z } from 'zod';
import { list, one, publicAccess, raw, type ResponseRule, type Route } from '../../src/declaration/route.js';
import { HeadedReply } from '../../src/http/headed-reply.js';
import { JsonList, JsonValue } from '../../src/http/json-reply.js';
import { RawReply } from '../../src/http/raw-reply.js';
import { checkReply } from '../../src/middleware/check-reply.js';

function routeWith(response: ResponseRule, change: Partial<Route> = {}): Route {
  return {
    method: 'GET',
    path: '/api/v1/things',
    summary: 'things',
    access: publicAccess,
    rate: 'general',
    query: null,
    body: null,
    response,
    status: 200,
    otherStatuses: [],
    waiting: null,
    refusals: [],
    requestHeaders: [],
    headers: [],
    allowedBefore2fa: false,
    isOwnOriginOnly: false,
    carriesSecrets: false,
    isPathSecret: false,
    handler: async () => undefined,
    ...change,
  };
}

const thing = z.strictObject({ name: z.string() });
const named = { name: 'x' };
const misnamed = { title: 'x' };
const page = { page: 1, perPage: 25, total: 1 };

describe('a reply', () => {
  const problemOf = (route: Route, reply: unknown): string => {
    try {
      checkReply(route, reply);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('refuses content that the route does not declare, however it is written', () => {
    const [single, many] = [routeWith(one(thing)), routeWith(list(thing))];
    const json = (value: unknown) => Buffer.from(JSON.stringify(value));
    for (const [route, write] of [
      [single, (value: unknown) => value],
      [single, (value: unknown) => new JsonValue(json(value))],
      [single, (value: unknown) => new RawReply('application/json', JSON.stringify({ data: value }))],
      [many, (value: unknown) => ({ items: [value], page })],
      [many, (value: unknown) => new JsonList([json(value)], page)],
    ] as const) {
      expect(problemOf(route, write(named))).to.equal('');
      expect(problemOf(route, write(misnamed)))
        .to.contain('GET /api/v1/things')
        .and.to.contain('title');
    }
    expect(problemOf(many, { items: [], page, extraMeta: { more: true } })).to.contain('more');
  });

  it('refuses a status that the route does not declare', () => {
    const part = new RawReply('text/csv', 'a', { status: 206 });
    expect(problemOf(routeWith(raw('text/csv')), part)).to.contain('206');
    expect(problemOf(routeWith(raw('text/csv'), { otherStatuses: [206] }), part)).to.equal('');
    const unchanged = new RawReply('', '', { status: 304 });
    expect(problemOf(routeWith(raw('text/csv'), { otherStatuses: [206] }), unchanged)).to.contain('304');
    expect(problemOf(routeWith(raw('text/csv'), { otherStatuses: [304] }), unchanged)).to.equal('');
  });

  it('refuses headers that the route does not declare, in any case', () => {
    const headed = new HeadedReply(named, { etag: '"x"' });
    expect(problemOf(routeWith(one(thing)), headed)).to.contain('etag');
    expect(problemOf(routeWith(one(thing), { headers: ['ETag'] }), headed)).to.equal('');
    const bytes = new RawReply('text/csv', 'a', { headers: { 'Content-Disposition': 'attachment' } });
    expect(problemOf(routeWith(raw('text/csv')), bytes)).to.contain('Content-Disposition');
    expect(problemOf(routeWith(raw('text/csv'), { headers: ['Content-Disposition'] }), bytes)).to.equal('');
  });

  it('refuses bytes of a type that the route does not declare', () => {
    const bytes = new RawReply('text/html', 'a');
    expect(problemOf(routeWith(raw('text/csv')), bytes)).to.contain('text/html');
    expect(problemOf(routeWith({ ...one(thing), rawTypes: ['text/csv'] }), bytes)).to.contain('text/html');
    expect(problemOf(routeWith({ ...one(thing), rawTypes: ['text/html'] }), bytes)).to.equal('');
  });
});
