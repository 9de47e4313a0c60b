import { expect } from 'chai';
import { type ApiDocument, printApi } from '../generate/print-api.js';
import { printType } from '../generate/print-type.js';

const string = { type: 'string' };

describe('schema type', () => {
  const cases: [string, Parameters<typeof printType>[0], string][] = [
    ['text', string, 'string'],
    ['a whole number', { type: 'integer' }, 'number'],
    ['anything', {}, 'unknown'],
    ['a constant', { const: true }, 'true'],
    ['a choice of words', { type: 'string', enum: ['a', "it's", null] }, "'a' | 'it\\'s' | null"],
    ['a type or null', { type: ['string', 'null'] }, 'string | null'],
    ['alternatives, each once', { anyOf: [string, { type: 'null' }, string] }, 'string | null'],
    ['a named schema', { $ref: '#/components/schemas/Server' }, 'Server'],
    ['a list', { type: 'array', items: string }, 'string[]'],
    ['a list of alternatives', { type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    ['a map', { type: 'object', additionalProperties: { type: 'integer' } }, 'Record<string, number>'],
    ['an object of anything', { type: 'object' }, 'Record<string, unknown>'],
    ['nothing but braces', { type: 'object', properties: {}, additionalProperties: false }, 'Record<string, never>'],
    [
      'fields',
      { type: 'object', properties: { a: string, 'b-c': { ...string, description: 'ends */ here' } }, required: ['a'] },
      "{\n  a: string;\n  /** ends *\\/ here */\n  'b-c'?: string;\n}",
    ],
    [
      'a list of objects with alternatives',
      { type: 'array', items: { type: 'object', properties: { a: { type: ['string', 'null'] } } } },
      '{\n  a?: string | null;\n}[]',
    ],
  ];

  for (const [what, schema, type] of cases) {
    it(`prints the type of ${what}`, () => expect(printType(schema)).to.equal(type));
  }

  it('throws on a schema of an unknown kind', () => {
    expect(() => printType({ type: 'date' })).to.throw(TypeError);
    expect(() => printType({ $ref: 'http://elsewhere/Thing' })).to.throw(TypeError);
  });
});

describe('types of an API', () => {
  const envelope = (data: object, meta?: object) => ({
    content: { 'application/json': { schema: { type: 'object', properties: { data, ...(meta && { meta }) } } } },
  });
  const notes = { allOf: [{ $ref: '#/components/schemas/Meta' }, { type: 'object', properties: { cut: string } }] };
  const document: ApiDocument = {
    paths: {
      '/api/v1/things': {
        get: {
          summary: 'Things',
          parameters: [
            { name: 'page', in: 'query', required: false, description: 'from 1', schema: { type: 'integer' } },
          ],
          responses: {
            '200': envelope({ type: 'array', items: { $ref: '#/components/schemas/Thing' } }, notes),
            '500': {},
          },
        },
        post: {
          summary: 'A new thing',
          parameters: [{ name: 'Idempotency-Key', in: 'header', required: false, schema: string }],
          requestBody: {
            content: {
              'application/json': { schema: { type: 'object', properties: { name: string }, required: ['name'] } },
            },
          },
          responses: { '201': envelope({ $ref: '#/components/schemas/Thing' }) },
        },
      },
      '/api/v1/things/{id}/file': {
        get: {
          summary: 'Its file',
          parameters: [{ name: 'path', in: 'query', required: true, schema: string }],
          responses: { '200': { content: { 'text/plain': { schema: {} } } } },
        },
        put: {
          summary: 'Replace it',
          parameters: [],
          requestBody: {
            content: { 'application/json': { schema: { type: 'object' } }, 'application/yaml': { schema: {} } },
          },
          responses: { '204': {} },
        },
      },
      '/docs': { get: { summary: 'A page', parameters: [], responses: { '200': {} } } },
    },
    components: { schemas: { Thing: { type: 'object', properties: { id: string }, required: ['id'] } } },
  };

  it('generates the input and output of every endpoint', () => {
    const text = printApi(document);
    expect(text).to.contain('export interface Thing {\n  id: string;\n}\n');
    expect(text.slice(text.indexOf('export interface Endpoints'))).to.equal(`export interface Endpoints {
  /** Things */
  'GET /things': {
    query?: {
      /** from 1 */
      page?: number;
    };
    list: Thing;
    notes: {
      cut?: string;
    };
  };
  /** A new thing */
  'POST /things': {
    body: {
      name: string;
    };
    creates: true;
    one: Thing;
  };
  /** Its file */
  'GET /things/{id}/file': {
    query: {
      path: string;
    };
    raw: 'text/plain';
  };
  /** Replace it */
  'PUT /things/{id}/file': {
    bytes: 'application/json' | 'application/yaml';
    empty: true;
  };
}
`);
  });

  it('refuses an operation without a success', () => {
    const get = { summary: 'Later', parameters: [], responses: { '501': {} } };
    const paths = { '/api/v1/things': { get } };
    expect(() => printApi({ paths, components: { schemas: {} } })).to.throw('declares no success');
  });
});
